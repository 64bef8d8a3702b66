import { CLASSIFICATIONS } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { OUTCOMES } from "../src/domain/decisions/decision.ts";
import { insertDecision } from "../src/domain/decisions/store.ts";
import { insertVisits } from "../src/domain/visits/store.ts";
import type { NewVisit } from "../src/domain/visits/visit.ts";
import { ManualClock } from "../src/infra/clock.ts";
import { ownTables } from "../src/infra/db/migrate.ts";
import {
  cleanUp,
  createSite,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "./harness.ts";
import { plansOf } from "./query-plans.ts";

const HOUR_MS = 3_600_000;
const DAYS = 30;
const FROM = NOON - DAYS * 24 * HOUR_MS;
/** What is counted falls on as many hours, agents and kinds, however much it is. */
const HOURS = 6;
const AGENTS = 3;
const FEW = HOURS * OUTCOMES.length * AGENTS;
const COUNTS = ["visit_hours", "outcome_hours", "outcome_agent_days"] as const;

/** What an owner's overview asks for. */
const OVERVIEW = ["visits", "decisions"].map(
  (what) => `/${what}/counts?from=${new Date(FROM).toISOString()}&by=hour`,
);

describe.each(DATABASES)("an overview of thirty days, on %s,", (dialect) => {
  let server: TestServer;
  let site: string;
  let written = 0;
  beforeAll(async () => {
    const clock = new ManualClock(NOON);
    server = await startServer(await freshEnvironment(dialect), { clock });
    site = (await createSite(server, "shop.example.com")).site_key_hash;
    return cleanUp;
  });

  /** Writes decisions and visits as the service writes them. */
  const write = (count: number) =>
    server.context.db.transaction(async (tx) => {
      for (let n = 0; n < count; n++) {
        const id = String(++written);
        const at = FROM + (n % HOURS) * 37 * HOUR_MS + n;
        const outcome = OUTCOMES[Math.floor(n / HOURS) % OUTCOMES.length] as "approved";
        const agent = Math.floor(n / HOURS / OUTCOMES.length) % AGENTS;
        await insertDecision(tx, {
          decisionId: id,
          siteKeyHash: site,
          actorId: `agt_${agent}`,
          mandateId: id,
          identity: `agt_${agent}`,
          pooled: false,
          digest: "",
          skill: "get_pricing",
          protocol: "a2a",
          amount: null,
          outcome,
          reason: null,
          ruleId: null,
          rulesEvaluated: 1,
          policyVersion: 1,
          recordId: id,
          evaluatedAt: at,
          answer: { status: 200, body: {} },
        });
        const classification = CLASSIFICATIONS[n % CLASSIFICATIONS.length] as "person";
        const visit: NewVisit = {
          visitId: id,
          siteKeyHash: site,
          hour: at - (at % HOUR_MS),
          observedAt: at,
          receivedAt: at,
          classification,
          source: "beacon",
          agent: null,
          signature: null,
          pageUrl: null,
          offSite: false,
        };
        await insertVisits(tx, [visit]);
      }
    });
  const rowsOf = async (table: string) => {
    const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE site_key_hash = ?`;
    return Number((await server.context.db.get<{ n: number }>(sql, site))?.n);
  };
  const overview = async () => {
    const [visits, decisions] = await Promise.all(
      OVERVIEW.map((path) => server.admin("GET", `/v1/admin/sites/${site}${path}`)),
    );
    const total = (all: { visits?: number; decisions?: number }[]) =>
      all.reduce((sum, one) => sum + (one.visits ?? one.decisions ?? 0), 0);
    return {
      visits: total(visits?.body.items),
      decisions: total(decisions?.body.items),
      agents: total(decisions?.body.agents),
    };
  };

  test("reads the same number of rows when there is ten times as much to count", async () => {
    await write(FEW);
    expect(await overview()).toEqual({ visits: FEW, decisions: FEW, agents: FEW });
    const before = await Promise.all(COUNTS.map(rowsOf));
    expect(before.every((rows) => rows > 0 && rows <= FEW)).toBe(true);
    await write(9 * FEW);
    const all = 10 * FEW;
    expect([await rowsOf("decisions"), await rowsOf("visits")]).toEqual([all, all]);
    expect(await overview()).toEqual({ visits: all, decisions: all, agents: all });
    expect(await Promise.all(COUNTS.map(rowsOf))).toEqual(before);
  });

  test.runIf(dialect === "sqlite")("reads only the counts, by their keys", async () => {
    const { db } = server.context;
    const steps = (await plansOf(db, overview)).flat();
    const read = steps.filter((step) => /^(SEARCH|SCAN) /.test(step));
    // Results of its own it may walk through; of what is kept, everything is looked up.
    const kept = read.filter((step) => ownTables().includes(step.split(" ")[1] as string));
    expect(kept.filter((step) => step.startsWith("SCAN"))).toEqual([]);
    // Pages are counted among a fixed number of the newest visits.
    expect(kept.filter((step) => /^SEARCH (?:decisions|visits) /.test(step))).toEqual([
      "SEARCH visits USING PRIMARY KEY (site_key_hash=? AND observed_at>?)",
    ]);
    expect(kept.filter((step) => /_(?:hours|days) /.test(step)).sort()).toEqual([
      "SEARCH outcome_agent_days USING PRIMARY KEY (site_key_hash=? AND day>? AND day<?)",
      "SEARCH outcome_hours USING PRIMARY KEY (site_key_hash=? AND hour>? AND hour<?)",
      "SEARCH visit_hours USING INDEX sqlite_autoindex_visit_hours_1 (site_key_hash=? AND hour>?)",
    ]);
  });
});
