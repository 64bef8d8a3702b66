import { type Checkpoint, verifyCheckpoint } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { AUDIT_POINTS } from "../../src/infra/crash-points.ts";
import { DATABASES, freshEnvironment } from "../harness.ts";
import { auditKeys, exportDays, verdictOf } from "./exporting.ts";
import { type NodeProcess, startNode } from "./node-process.ts";

/** A sample in `npm run test:release`; `npm run test:long` asks for the full count. */
const ROUNDS = Number(process.env.AUDIT_CRASH_ROUNDS ?? 1);
const LANES = 4;

interface Shop {
  readonly hash: string;
  /** Versions of the site that were answered for. */
  readonly answered: number[];
  /** What somebody outside got: checkpoints from before every death. */
  readonly pins: string[];
}

async function createShop(node: NodeProcess, domain: string): Promise<Shop> {
  const answer = await node.admin("POST", "/v1/admin/sites", { domain, name: domain });
  const { site_key_hash: hash } = (await answer.json()) as { site_key_hash: string };
  return { hash, answered: [1], pins: [] };
}

const checkpointOf = async (node: NodeProcess, { hash }: Shop) =>
  (await fetch(`${node.url}/v1/audit/${hash}/checkpoint`)).text();

/** Changes the shops and fetches checkpoints from many sides until the process is gone. */
async function writeUntilDead(node: NodeProcess, shops: readonly Shop[]): Promise<void> {
  const seen = new Map<Shop, string>();
  const lane = async (number: number) => {
    for (let i = 0; ; i++) {
      const shop = shops[(number + i) % shops.length] as Shop;
      const path = `/v1/admin/sites/${shop.hash}`;
      const answer = await node.admin("PATCH", path, { name: `lane ${number} change ${i}` });
      // Two lanes may meet at one version; the loser is told so, and nothing happened.
      if (answer.status === 409) continue;
      expect(answer.status).toBe(200);
      shop.answered.push(((await answer.json()) as { version: number }).version);
      seen.set(shop, await checkpointOf(node, shop));
    }
  };
  await Promise.allSettled(Array.from({ length: LANES }, (_, number) => lane(number)));
  for (const [shop, pin] of seen) shop.pins.push(pin);
}

async function checkShop(node: NodeProcess, shop: Shop): Promise<void> {
  const keys = await auditKeys(node);
  const parts = await exportDays(node, shop.hash);
  const pins: Checkpoint[] = [];
  for (const text of shop.pins) {
    const pin = await verifyCheckpoint(text, keys.values());
    if (!pin.ok) throw new Error(pin.detail);
    pins.push(pin.value);
  }
  const report = await verdictOf(
    parts.map(({ text }) => text),
    { keys, pins },
  );
  expect(report.findings).toEqual([]);
  const versions = parts
    .flatMap(({ text }) => JSON.parse(text).bundle.records)
    .flatMap(({ record }) => (record.type === "site.changed" ? [record.change.version] : []));
  // One record for every change, in order, and none for a change that is not there.
  expect(versions).toEqual(versions.map((_, i) => i + 1));
  expect(versions).toEqual(expect.arrayContaining(shop.answered));
  const site = await node.admin("GET", `/v1/admin/sites/${shop.hash}`);
  expect(((await site.json()) as { version: number }).version).toBe(versions.length);
}

describe.each(DATABASES)("a service killed at every named point of a commit, on %s,", (dialect) => {
  test("has everything it answered in its log, without gap, fork or duplicate", {
    timeout: 60_000 + ROUNDS * 60_000,
  }, async () => {
    const env = await freshEnvironment(dialect);
    let node = await startNode(env);
    const shops = [
      await createShop(node, "one.example.com"),
      await createShop(node, "two.example.com"),
    ];
    for (let round = 0; round < ROUNDS; round++) {
      for (const point of AUDIT_POINTS) {
        // Whatever the death lets through, this much is known outside before it.
        for (const shop of shops) shop.pins.push(await checkpointOf(node, shop));
        // A different pass in every round, by count and not by time.
        await node.ask({ point, times: 3 + ((round * 5) % 7) });
        await writeUntilDead(node, shops);
        expect([point, await node.died]).toEqual([point, "SIGKILL"]);
        node = await startNode(env);
      }
    }
    // The log only grows: whatever any of the deaths left in it, or lost of it, is there to be found.
    for (const shop of shops) await checkShop(node, shop);
    const answered = shops.reduce((sum, shop) => sum + shop.answered.length, 0);
    expect(answered).toBeGreaterThan(AUDIT_POINTS.length);
  });
});
