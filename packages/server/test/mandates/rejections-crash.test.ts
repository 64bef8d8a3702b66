import { describe, expect, test } from "vitest";
import { REJECTION_POINTS } from "../../src/infra/crash-points.ts";
import { auditKeys, exportDays, verdictOf } from "../audit/exporting.ts";
import { type NodeProcess, startNode } from "../audit/node-process.ts";
import { DATABASES, freshEnvironment, NOON } from "../harness.ts";

const MINUTE_MS = 60_000;
const SENT = 30;

async function createShop(node: NodeProcess) {
  const site = { domain: "shop.example.com", name: "Shop" };
  const answer = await node.admin("POST", "/v1/admin/sites", site);
  const shop = (await answer.json()) as { site_key: string; site_key_hash: string };
  const verified = { method: "operator", reason: "a test" };
  await node.admin("POST", `/v1/admin/sites/${shop.site_key_hash}/verify`, verified);
  return shop;
}

/** Refusals of one record each, and the sums of the others, of a log that verifies. */
async function countedBy(node: NodeProcess, siteKeyHash: string) {
  const texts = (await exportDays(node, siteKeyHash)).map(({ text }) => text);
  const report = await verdictOf(texts, { keys: await auditKeys(node) });
  expect(report.findings).toEqual([]);
  const records = texts.flatMap((text) => JSON.parse(text).bundle.records);
  const ofType = (type: string) => records.filter(({ record }) => record.type === type);
  const counts = ofType("refusals.folded").map(({ record }) => record.refusals.count as number);
  return { singles: ofType("mandate.decision").length, counts };
}

describe.each(DATABASES)(
  "a service killed while it writes counted rejections, on %s,",
  (dialect) => {
    test.each(REJECTION_POINTS)(
      "loses or records each at %s, and records none twice",
      { timeout: 150_000 },
      async (point) => {
        const env = await freshEnvironment(dialect);
        const startAt = (ms: number) => startNode({ ...env, CLOCK_STARTS_MS: String(ms) });
        const node = await startAt(NOON);
        const { site_key: key, site_key_hash: hash } = await createShop(node);
        await node.ask({ point, times: 1 });
        const headers = { "content-type": "application/json" };
        const send = () =>
          fetch(`${node.url}/v1/m/${key}/mandate`, { method: "POST", headers, body: "{}" });
        const answers = await Promise.all(Array.from({ length: SENT }, send));
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
        // All are answered: only now does their minute end, and their counts are due.
        node.child.send({ advance: MINUTE_MS });
        expect(await node.died).toBe("SIGKILL");
        const { singles, counts } = await countedBy(await startAt(NOON + 2 * MINUTE_MS), hash);
        const counted = counts.reduce((sum, one) => sum + one, 0);
        expect(singles).toBeGreaterThanOrEqual(10);
        if (point === "rejections.written") expect(singles + counted).toBe(SENT);
        else expect([counts, singles < SENT]).toEqual([[], true]);
      },
    );
  },
);
