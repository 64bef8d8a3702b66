import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { insertDecision } from "../../src/domain/decisions/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { decisionOf, type Past } from "./past.ts";
import { POLICY, type Shop, submitting } from "./submitting.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MIDNIGHT = NOON - 12 * HOUR_MS;
/** Rows one answer is made from, as the service has it. */
const QUARTER_ROWS_MAX = 150_000;
const AGENT_ROWS_MAX = 100_000;

const ASK = { id: "ask", effect: "escalate", when: { skill: { eq: "get_pricing" } } };
const ASKING = { ...POLICY, rules: [POLICY.rules[0], ASK] } as unknown as JsonObject;

const iso = (at: number) => new Date(at).toISOString();
const by = (some: Record<string, number>) => ({
  approved: 0,
  escalated: 0,
  rejected: 0,
  paying: 0,
  ...some,
});

describe.each(TIER_DATABASES)("counted decisions, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let agent: ReturnType<typeof submitting>;
  let shop: Shop;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect), { clock });
    agent = submitting(server);
    return cleanUp;
  });
  beforeEach(async () => {
    shop = await agent.shop(ASKING);
  });

  const counts = async (query = "", of = shop) =>
    (await of.admin("GET", `/decisions/counts${query}`)).body;
  const write = (of: Shop, all: readonly Partial<Past>[]) =>
    server.context.db.transaction(async (tx) => {
      for (const [place, some] of all.entries()) {
        const whole = { at: NOON, place, actorId: "agt_1", amount: null, decidedAt: NOON };
        await insertDecision(
          tx,
          decisionOf(of.site_key_hash, { fate: "approved", ...whole, ...some }),
        );
      }
    });

  test.each([
    ["approve", {}, "approved"],
    ["deny", { reason_code: "other" }, "rejected"],
  ])("move from escalated to their final outcome: %s", async (verb, said, outcome) => {
    const buyer = await agent.buyer(shop);
    const { escalation_id } = (await agent.submit(shop, buyer)).body;
    const start = iso(clock.now() - (clock.now() % HOUR_MS));
    const agent_id = buyer.agentId;
    expect(await counts("?by=hour")).toEqual({
      items: [{ start, decisions: 1, by_outcome: by({ escalated: 1 }) }],
      agents: [{ agent_id, decisions: 1, by_outcome: by({ escalated: 1 }) }],
      cut: false,
    });
    // Counted where it was made, whenever it is decided.
    clock.advance(3 * HOUR_MS);
    expect((await shop.admin("POST", `/escalations/${escalation_id}/${verb}`, said)).status).toBe(
      200,
    );
    const after = { decisions: 1, by_outcome: by({ [outcome]: 1 }) };
    expect(await counts("?by=hour")).toEqual({
      items: [{ start, ...after }],
      agents: [{ agent_id, ...after }],
      cut: false,
    });
  });

  test("count a mandate once, however often it is sent", async () => {
    const buyer = await agent.buyer(shop);
    const sent = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
    for (let times = 0; times < 3; times++) await agent.send(shop, sent);
    expect((await counts()).items).toMatchObject([{ decisions: 1 }]);
  });

  test("are grouped by day, or by hour on request, oldest first, without empty steps", async () => {
    await write(shop, [
      { at: NOON + 30 * HOUR_MS },
      { at: NOON + 59 * 60_000, fate: "rejected" },
      { at: NOON },
      { at: NOON + HOUR_MS },
    ]);
    expect((await counts()).items).toEqual([
      { start: iso(MIDNIGHT), decisions: 3, by_outcome: by({ approved: 2, rejected: 1 }) },
      { start: iso(MIDNIGHT + DAY_MS), decisions: 1, by_outcome: by({ approved: 1 }) },
    ]);
    expect((await counts("?by=hour")).items).toEqual([
      { start: iso(NOON), decisions: 2, by_outcome: by({ approved: 1, rejected: 1 }) },
      { start: iso(NOON + HOUR_MS), decisions: 1, by_outcome: by({ approved: 1 }) },
      { start: iso(NOON + 30 * HOUR_MS), decisions: 1, by_outcome: by({ approved: 1 }) },
    ]);
  });

  test("are grouped by quarter of an hour on request, so that the days of every time zone are exact", async () => {
    const midnightIn = { kolkata: MIDNIGHT - 5.5 * HOUR_MS, kathmandu: MIDNIGHT - 5.75 * HOUR_MS };
    const before = midnightIn.kathmandu - 1;
    await write(shop, [
      { at: before },
      { at: midnightIn.kathmandu },
      { at: midnightIn.kolkata - 1, fate: "rejected" },
      { at: midnightIn.kolkata },
    ]);
    const quarter = (at: number, some: Record<string, number>) => {
      const decisions = Object.values(some).reduce((sum, n) => sum + n, 0);
      return { start: iso(at), decisions, by_outcome: by(some) };
    };
    const all = [
      quarter(midnightIn.kathmandu - HOUR_MS / 4, { approved: 1 }),
      quarter(midnightIn.kathmandu, { approved: 1, rejected: 1 }),
      quarter(midnightIn.kolkata, { approved: 1 }),
    ];
    expect((await counts("?by=quarter_hour")).items).toEqual(all);
    const day = `?by=quarter_hour&from=${iso(midnightIn.kathmandu)}&to=${iso(midnightIn.kolkata)}`;
    expect((await counts(day)).items).toEqual([all[1]]);
    // Hours of UTC are as before.
    expect((await counts(`?by=hour&from=${iso(midnightIn.kolkata)}`)).items).toMatchObject([
      { decisions: 4 },
    ]);
  });

  test("are counted between two times, in full hours, and for agents in full days", async () => {
    const day = (n: number) => MIDNIGHT + n * DAY_MS;
    await write(shop, [
      ...[day(0), day(1) + HOUR_MS, day(1) + 5 * HOUR_MS].map((at) => ({ at })),
      ...[day(2) + HOUR_MS, day(3)].map((at) => ({ at })),
    ]);
    const between = `?from=${iso(day(1) + 5 * HOUR_MS + 1)}&to=${iso(day(3))}`;
    const { items, agents } = await counts(between);
    expect(items.map(({ start, decisions }: never) => [start, decisions])).toEqual([
      [iso(day(1)), 1],
      [iso(day(2)), 1],
    ]);
    expect(agents).toMatchObject([{ agent_id: "agt_1", decisions: 3 }]);
    const nothing = `?from=${iso(day(4))}`;
    expect(await counts(nothing)).toEqual({ items: [], agents: [], cut: false });
  });

  test("name the twenty agents with the most decisions, whatever their days", async () => {
    const name = (n: number) => `agt_${String(n).padStart(2, "0")}`;
    const all = Array.from({ length: 22 }, (_, n) =>
      Array.from({ length: n + 1 }, (_none, i) => ({
        actorId: name(n),
        at: NOON - i * DAY_MS,
        fate: i === 0 ? ("rejected" as const) : ("approved" as const),
      })),
    ).flat();
    await write(shop, all);
    const { agents } = await counts();
    expect(agents.map(({ agent_id }: { agent_id: string }) => agent_id)).toEqual(
      Array.from({ length: 20 }, (_, place) => name(21 - place)),
    );
    expect(agents[0]).toEqual({
      agent_id: name(21),
      decisions: 22,
      by_outcome: by({ approved: 21, rejected: 1 }),
    });
    const week = (await counts(`?from=${iso(NOON - 6 * DAY_MS)}`)).agents;
    expect(week[0]).toMatchObject({ agent_id: name(6), decisions: 7 });
  });

  test("belong to one site, for its own tokens, and are deleted with it", async () => {
    const other = await agent.shop(ASKING, "other.example.com");
    await write(shop, [{}, {}]);
    await write(other, [{ actorId: "agt_2" }]);
    expect(await counts()).toMatchObject({
      items: [{ decisions: 2 }],
      agents: [{ agent_id: "agt_1", decisions: 2 }],
    });
    const { token } = (await shop.admin("POST", "/tokens", { name: "A", role: "auditor" })).body;
    const ask = ({ site_key_hash }: Shop, query = "") => {
      const path = `/v1/admin/sites/${site_key_hash}/decisions/counts${query}`;
      return server.admin("GET", path, undefined, token);
    };
    expect((await ask(shop)).status).toBe(200);
    expect((await ask(other)).status).toBe(404);
    expect((await ask(shop, "?by=week")).status).toBe(400);
    expect((await ask(shop, "?from=yesterday")).status).toBe(400);
    await shop.admin("DELETE", "");
    const { db } = server.context;
    for (const table of ["outcome_hours", "outcome_agent_days"]) {
      const sql = `SELECT site_key_hash FROM ${table} WHERE site_key_hash IN (?, ?)`;
      const left = await db.all(sql, shop.site_key_hash, other.site_key_hash);
      expect(left).toEqual([{ site_key_hash: other.site_key_hash }]);
    }
  });

  test("are never negative, and are left out if they are zero", async () => {
    const buyer = await agent.buyer(shop);
    const { escalation_id } = (await agent.submit(shop, buyer)).body;
    const { db } = server.context;
    // As if something had been lost: what is not there cannot be taken away.
    for (const table of ["outcome_hours", "outcome_agent_days"]) {
      const sql = `UPDATE ${table} SET decisions = 0 WHERE site_key_hash = ?`;
      expect(await db.run(sql, shop.site_key_hash)).toBe(1);
    }
    expect(await counts()).toEqual({ items: [], agents: [], cut: false });
    const approved = await shop.admin("POST", `/escalations/${escalation_id}/approve`, {});
    expect(approved.status).toBe(200);
    expect(await counts()).toMatchObject({
      items: [{ decisions: 1, by_outcome: by({ approved: 1 }) }],
      agents: [{ decisions: 1, by_outcome: by({ approved: 1 }) }],
    });
  });

  test.each([
    ["outcome_hours", QUARTER_ROWS_MAX, "hour", `n * ${HOUR_MS / 4}`],
    ["outcome_agent_days", AGENT_ROWS_MAX, "actor_id, day", `'a', n * ${DAY_MS}`],
  ])("say if there are more than one answer can contain: %s", async (table, max, names, values) => {
    // The database makes them itself: there are too many to send.
    const fill = (from: number, to: number) =>
      server.context.db.run(
        `INSERT INTO ${table} (site_key_hash, outcome, decisions, ${names})
         WITH RECURSIVE numbers (n) AS (
           SELECT CAST(${from} AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${to}
         ) SELECT '${shop.site_key_hash}', 'approved', 1, ${values} FROM numbers`,
      );
    expect(await fill(0, max)).toBe(max);
    expect((await counts()).cut).toBe(false);
    await fill(max, max + 1);
    expect((await counts()).cut).toBe(true);
  });

  test("are listed between two times, page by page", async () => {
    const times = Array.from({ length: 7 }, (_, n) => NOON + n * 1000);
    await write(
      shop,
      times.map((at) => ({ at })),
    );
    const [from, to] = [iso(times[1] as number), iso(times[6] as number)];
    const listed: string[] = [];
    for (let cursor = ""; ; ) {
      const path = `/decisions?limit=2&from=${from}&to=${to}${cursor}`;
      const { items, next_cursor } = (await shop.admin("GET", path)).body;
      listed.push(...items.map(({ evaluated_at }: { evaluated_at: string }) => evaluated_at));
      if (next_cursor === undefined) break;
      cursor = `&cursor=${next_cursor}`;
    }
    expect(listed).toEqual([5, 4, 3, 2, 1].map((n) => iso(times[n] as number)));
    const rejected = `/decisions?outcome=rejected&from=${from}`;
    expect((await shop.admin("GET", rejected)).body.items).toEqual([]);
    expect((await shop.admin("GET", "/decisions?to=noon")).status).toBe(400);
  });
});
