import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import type { NewRow } from "../src/infra/db/database.ts";
import { NOON, TIER_DATABASES } from "./harness.ts";
import { RUNS_OF_A_BODY } from "./twice.ts";
import { ADDRESS, lines, openWorld, ROSE, type World } from "./ucp/buying.ts";

const PAGE = new URL("../../../docs/operations/growth.md", import.meta.url);
const KB = 1024;
const ROWS = 200;

/** What the page says a row of something takes at most. */
function documented(what: string): number {
  const line = readFileSync(PAGE, "utf8")
    .split("\n")
    .find((one) => one.startsWith(`| ${what}`));
  const bytes = /\|\s*([\d.]+) KB\s*\|/.exec(line ?? "")?.[1];
  if (bytes === undefined) throw new Error(`the page says nothing of ${what}`);
  return Number(bytes) * KB;
}

/** Text that no database makes smaller. */
const text = (chars: number) => randomBytes(chars).toString("base64url").slice(0, chars);

describe.each(TIER_DATABASES)("the page docs/operations/growth.md, on %s,", (dialect) => {
  let { server, at } = {} as World;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ server, at, close } = await openWorld(dialect, new ManualClock(NOON)));
    await server.context.jobs.stop();
  });
  afterAll(() => close());

  /** What some tables take, with their indexes. */
  async function bytesOf(...tables: readonly string[]): Promise<number> {
    const { db } = server.context;
    let sum = 0;
    for (const table of tables) {
      // PostgreSQL keeps rows that were rolled back until it vacuums the table.
      if (dialect === "postgres" && RUNS_OF_A_BODY > 1) await db.run(`VACUUM FULL ${table}`);
      const sql =
        dialect === "sqlite"
          ? `SELECT SUM(pgsize) AS bytes FROM dbstat WHERE name IN
               (SELECT name FROM sqlite_master WHERE tbl_name = ?)`
          : "SELECT pg_total_relation_size(to_regclass(?)) AS bytes";
      sum += Number((await db.get<{ bytes: number }>(sql, table))?.bytes ?? 0);
    }
    return sum;
  }

  /** What a row of a table takes, measured over many of them. */
  async function rowBytes(table: string, row: (n: number) => NewRow): Promise<number> {
    const before = await bytesOf(table);
    const rows = Array.from({ length: ROWS }, (_, n) => row(n));
    await server.context.db.transaction((tx) => tx.insert(table, rows));
    return ((await bytesOf(table)) - before) / ROWS;
  }

  const visit = (source: string, more: NewRow) => (n: number) => ({
    site_key_hash: text(43),
    observed_at: NOON + n,
    visit_id: `vis_${text(24)}`,
    received_at: NOON,
    source,
    classification: "suspected_automation",
    off_site: 1,
    agent_name: text(253),
    agent_operator: text(253),
    signature: null,
    ...more,
    page_url: `https://${text(259)}/${text(1024)}`,
  });

  test("gives the most that a visit takes", async () => {
    const beacon = await rowBytes("visits", visit("beacon", {}));
    expect(beacon).toBeLessThan(documented("visits that the script tag reported (beacons)"));
    const signature = JSON.stringify({
      key_id: text(128),
      agent_url: text(2048),
      reason: text(64),
    });
    const edge = await rowBytes("visits", visit("edge", { signature }));
    expect(edge).toBeLessThan(documented("visits that the edge reported"));
  });

  test("gives the most that a registration takes", async () => {
    const agent = await rowBytes("agents", (n) => ({
      agent_id: `agt_${text(24)}`,
      identity: `agt_${text(24)}`,
      site_key_hash: text(43),
      name: text(80),
      contact: text(200),
      operator_url: text(2048),
      source: "self",
      key_source: JSON.stringify({ type: "directory", url: text(2048) }),
      status: "pending",
      scopes: null,
      tags: "[]",
      created_by: text(28),
      created_at: n,
      requested_scopes: JSON.stringify(Array.from({ length: 50 }, () => text(100))),
      expires_at: n,
      share: `domain:${text(253)}`,
    }));
    expect(agent).toBeLessThan(documented("pending agents"));
  });

  test("gives the most that a question takes", async () => {
    const question = await rowBytes("questions", (n) => ({
      question_id: `qst_${text(36)}`,
      site_key_hash: text(43),
      skill: text(64),
      question_key: text(64),
      // 500 characters of four bytes.
      question: text(2000),
      asker_id: null,
      asker_name: text(320),
      first_asked_at: NOON + n,
      last_asked_at: NOON + n,
      times_asked: n,
      state: "new",
      answer: null,
      published: 0,
      answered_at: null,
      answered_by: null,
      notified: 0,
    }));
    expect(question).toBeLessThan(documented("questions from agents"));
  });

  test.each([
    ["unsigned", false],
    ["signed", true],
  ] as const)("gives what a checkout takes, %s, as quotas count it", async (kind, sign) => {
    const shop = await at.shop();
    const address = (n: number) => ({
      ...ADDRESS,
      id: `${n}`,
      street_address: text(200),
      extended_address: text(200),
      address_locality: text(200),
      first_name: text(200),
      last_name: text(200),
    });
    const destinations = Array.from({ length: 10 }, (_, n) => address(n));
    const body = {
      ...lines(...Array.from({ length: 50 }, () => ["rose", 1] as const)),
      buyer: ROSE.buyer,
      fulfillment: { methods: [{ type: "shipping", destinations }] },
    };
    const tables = ["carts", "checkouts", "ucp_replies"];
    const counted = async () => {
      const sql = "SELECT SUM(bytes) AS bytes FROM stored_bytes WHERE site_key_hash = ?";
      const row = await server.context.db.get<{ bytes: number }>(sql, shop.site_key_hash);
      return Number(row?.bytes);
    };
    // The first row of a table takes pages that many others use too.
    await at.create(shop, body, { sign });
    const before = await bytesOf(...tables);
    const countedBefore = await counted();
    const made = 30;
    for (let n = 0; n < made; n++) expect((await at.create(shop, body, { sign })).status).toBe(201);
    const real = (await bytesOf(...tables)) - before;
    expect(real / made).toBeLessThan(documented(`carts, checkouts, replies of ${kind}`));
    expect(real / ((await counted()) - countedBefore)).toBeLessThan(1.6);
  });
});
