import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deleteExpiredVisits } from "../../src/actions/visits/delete-expired-visits.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  answerOf,
  cleanUp,
  createSite,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const AGENT = "https://agent.example/.well-known/http-message-signatures-directory";
const VERIFIED = { outcome: "verified", key_id: "thumb", agent_url: AGENT };

const visitOf = (fields: Record<string, unknown> = {}) => ({
  observed_at: new Date(NOON).toISOString(),
  user_agent: FIREFOX,
  page_url: "https://shop.example.com/prices",
  ...fields,
});

describe.each(TIER_DATABASES)("reports of a site's edge, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  // biome-ignore lint/suspicious/noExplicitAny: what the admin interface answers
  let site: any;
  let token = "";
  beforeAll(async () => {
    const env = await freshEnvironment(dialect);
    const limits = {
      GATEHOUSE_BEACONS_PER_SITE_PER_MINUTE: "200",
      GATEHOUSE_BEACON_VISITS_KEPT_PER_SITE: "3",
      GATEHOUSE_EDGE_VISITS_KEPT_PER_SITE: "2",
    };
    server = await startServer({ ...env, ...limits }, { clock });
    return cleanUp;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    site = await createSite(server, "shop.example.com");
    token = (await makeToken()).token;
  });

  const path = () => `/v1/admin/sites/${site.site_key_hash}`;
  const makeToken = async (name = "worker") =>
    (await server.admin("POST", `${path()}/edge-tokens`, { name })).body;
  const visits = async () => (await server.admin("GET", `${path()}/visits`)).body.items;
  const report = async (body: unknown, bearer = token, hash = site.site_key_hash) =>
    answerOf(
      await fetch(`${server.url}/v1/edge/${hash}/visits`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
        body: JSON.stringify(body),
      }),
    );

  test("say who visited: verified, declared, suspected, or a person", async () => {
    const callers = [
      [{ signature: VERIFIED, user_agent: "GPTBot/1.2" }, "verified_agent", "agent.example"],
      [{ user_agent: "GPTBot/1.2" }, "declared_agent", "GPTBot"],
      [{ user_agent: "curl/8.5.0" }, "suspected_automation", "curl"],
      [{}, "person", undefined],
    ] as const;
    const answer = await report({ visits: callers.map(([fields]) => visitOf(fields)) });
    expect([answer.status, answer.body]).toEqual([204, ""]);
    type Seen = { classification: string; agent?: { name: string }; source: string };
    const seen = (await visits()).map(
      ({ classification, agent, source }: Seen) => `${classification} ${agent?.name} ${source}`,
    );
    expect(seen.sort()).toEqual(callers.map(([, kind, name]) => `${kind} ${name} edge`).sort());
  });

  test("are accepted however many beacons come, and each source has its own limit", async () => {
    const { context } = server;
    await report({ visits: [visitOf({ signature: VERIFIED }), visitOf({ signature: VERIFIED })] });
    const visit = async () => {
      const [row] = await context.db.all<Record<string, string | number | null>>(
        "SELECT * FROM visits WHERE site_key_hash = ? LIMIT 1",
        site.site_key_hash,
      );
      return row ?? {};
    };
    const edge = await visit();
    const beacons = Array.from({ length: 10 }, (_, n) => ({
      ...edge,
      visit_id: `vis_beacon_${n}`,
      source: "beacon",
      signature: null,
      classification: "person",
      observed_at: clock.now() + 1000 + n,
    }));
    await context.db.transaction((tx) => tx.insert("visits", beacons));
    await deleteExpiredVisits(context, () => false);
    const sources = async () =>
      (await visits()).map(({ source }: { source: string }) => source).sort();
    expect(await sources()).toEqual([...Array(3).fill("beacon"), ...Array(2).fill("edge")]);
    await report({ visits: [visitOf(), visitOf()] });
    await deleteExpiredVisits(context, () => false);
    expect(await sources()).toEqual([...Array(3).fill("beacon"), ...Array(2).fill("edge")]);
  });

  test("show an invalid signature with its reason, and verify nobody by it", async () => {
    const failed = { ...VERIFIED, outcome: "invalid", reason: "expired" };
    await report({ visits: [visitOf({ signature: failed, user_agent: "GPTBot/1.2" })] });
    const [visit] = await visits();
    expect(visit).toMatchObject({ classification: "declared_agent", signature: failed });
  });

  test("count a verified agent by its kind, and by its name if it is known", async () => {
    const chatgpt = { ...VERIFIED, agent_url: AGENT.replace("agent.example", "chatgpt.com") };
    const signed = [VERIFIED, chatgpt].map((signature) => visitOf({ signature }));
    await report({ visits: signed });
    const { items, pages } = (await server.admin("GET", `${path()}/visits/counts`)).body;
    expect(pages).toEqual([{ page_url: visitOf().page_url, visits: 2 }]);
    expect(items).toMatchObject([
      { visits: 2, by_classification: { verified_agent: 2 }, by_agent: { "ChatGPT agent": 1 } },
    ]);
    expect(items[0].by_agent).not.toHaveProperty("agent.example");
  });

  test("verify nobody for a page of another host, or without one", async () => {
    const elsewhere = { signature: VERIFIED, page_url: "https://evil.example/prices" };
    const nowhere = { signature: VERIFIED, page_url: null };
    await report({ visits: [visitOf(elsewhere), visitOf(nowhere)] });
    for (const visit of await visits()) {
      expect(visit.classification).toBe("suspected_automation");
      expect(visit.signature).toMatchObject({ outcome: "unverified", reason: "another_host" });
    }
  });

  test("are refused as a whole if one of their visits is invalid", async () => {
    const bad: [string, unknown][] = [
      ["nothing", {}],
      ["no list", { visits: {} }],
      ["an empty list", { visits: [] }],
      ["101 visits", { visits: Array(101).fill(visitOf()) }],
      ["no time", { visits: [visitOf(), visitOf({ observed_at: "yesterday" })] }],
      ["a file", { visits: [visitOf({ page_url: "file:///etc/passwd" })] }],
      ["an outcome of its own", { visits: [visitOf({ signature: { outcome: "trusted" } })] }],
      ["verified by nobody", { visits: [visitOf({ signature: { outcome: "verified" } })] }],
      [
        "keys over http",
        { visits: [visitOf({ signature: { ...VERIFIED, agent_url: "http://a.example" } })] },
      ],
      ["a reason in words", { visits: [visitOf({ signature: { ...VERIFIED, reason: "<b>" } })] }],
      ["a list as signature", { visits: [visitOf({ signature: [] })] }],
    ];
    for (const [name, body] of bad) {
      const { status, body: said } = await report(body);
      expect([name, status, said.error]).toEqual([name, 400, "invalid_request"]);
    }
    expect(await visits()).toEqual([]);
  });

  test("lose the query of the page, and a time that is far off", async () => {
    const page_url = "https://shop.example.com/a?mail=me@example.com#x";
    await report({ visits: [visitOf({ page_url, observed_at: "2020-01-01T00:00:00Z" })] });
    const [visit] = await visits();
    expect(visit.page_url).toBe("https://shop.example.com/a");
    expect(visit.observed_at).toBe(new Date(clock.now()).toISOString());
  });

  test("need the site's own valid token, which gives no other access", async () => {
    const one = { visits: [visitOf()] };
    expect((await report(one, "wrong")).status).toBe(401);
    const other = await createSite(server, "other.example.com");
    expect((await report(one, token, other.site_key_hash)).status).toBe(403);
    expect((await server.admin("GET", path(), undefined, token)).status).toBe(401);
    const { items } = (await server.admin("GET", `${path()}/edge-tokens`)).body;
    expect(items.map(({ name }: { name: string }) => name)).toEqual(["worker"]);
    expect(JSON.stringify(items)).not.toContain(token);
    expect((await server.admin("DELETE", `/v1/admin/tokens/${items[0].token_id}`)).status).toBe(
      204,
    );
    expect((await report(one)).status).toBe(401);
    expect(await visits()).toEqual([]);
  });

  test("with a wrong token do not lock people out of the same address", async () => {
    const tries = await Promise.all(
      Array.from({ length: 30 }, (_, n) => report({ visits: [visitOf()] }, `wrong-${n}`)),
    );
    expect(tries.some(({ status }) => status === 429)).toBe(true);
    expect((await server.admin("GET", path())).status).toBe(200);
  });

  test("are limited for each site by the number of visits in them", async () => {
    const hundred = { visits: Array(100).fill(visitOf()) };
    expect((await report(hundred)).status).toBe(204);
    expect((await report(hundred)).status).toBe(204);
    const over = await report(hundred);
    expect([over.status, Number(over.headers.get("retry-after")) > 0]).toEqual([429, true]);
  });

  test("with a valid token pass, however many wrong ones come from the same address", async () => {
    const one = { visits: [visitOf()] };
    expect((await report(one)).status).toBe(204);
    for (let n = 0; n < 12; n++) await report(one, `wrong-${n}`);
    expect((await report(one, "wrong-again")).status).toBe(429);
    expect((await report(one)).status).toBe(204);
  });

  test("end with the site", async () => {
    await server.admin("DELETE", path());
    expect((await report({ visits: [visitOf()] })).status).toBe(401);
  });

  test("use tokens that an owner creates for their own site, at most twenty", async () => {
    const roles = `${path()}/tokens`;
    const reviewer = (await server.admin("POST", roles, { name: "R", role: "reviewer" })).body
      .token;
    const make = (bearer?: string) =>
      server.admin("POST", `${path()}/edge-tokens`, { name: "w" }, bearer);
    expect((await make(reviewer)).status).toBe(403);
    const owner = (await server.admin("POST", roles, { name: "O", role: "owner" })).body.token;
    for (let made = 1; made < 20; made++) expect((await make(owner)).status).toBe(201);
    expect((await make(owner)).status).toBe(409);
    const other = await createSite(server, "other.example.com");
    const elsewhere = `/v1/admin/sites/${other.site_key_hash}/edge-tokens`;
    expect((await server.admin("POST", elsewhere, { name: "w" }, owner)).status).toBe(404);
    const foreign = (await server.admin("POST", elsewhere, { name: "w" })).body;
    const revoke = `/v1/admin/tokens/${foreign.token_id}`;
    expect((await server.admin("DELETE", revoke, undefined, owner)).status).toBe(404);
  });
});
