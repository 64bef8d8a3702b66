import { type Ed25519Jwk, fromHex, verifyReceipt, verifyRecord } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  createSite,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "../harness.ts";
import { auditKeys } from "./exporting.ts";

const UNKNOWN = "00000000-0000-7000-8000-000000000000";

describe.each(DATABASES)("one record of a log, on %s,", (dialect) => {
  let server: TestServer;
  let site: string;
  let domains = 0;
  beforeAll(async () => {
    const clock = new ManualClock(NOON);
    server = await startServer(await freshEnvironment(dialect), { clock });
    return cleanUp;
  });
  beforeEach(async () => {
    site = (await createSite(server, `shop-${++domains}.example.com`)).site_key_hash;
  });

  const below = (hash: string) => `/v1/admin/sites/${hash}`;
  const rename = (name: string) => server.admin("PATCH", below(site), { name });
  const show = (id: string, hash = site, token?: string) =>
    server.admin("GET", `${below(hash)}/audit/records/${id}`, undefined, token);
  /** Everything in the log, the oldest first; seen without being recorded. */
  const all = (hash = site) =>
    server.context.db.all<{ record_id: string; type: string; seq: number; text: string }>(
      `SELECT record_id, type, seq, text FROM audit_records
       WHERE chain IN (SELECT chain FROM audit_chains WHERE site_key_hash = ?)
       ORDER BY chain, seq`,
      hash,
    );
  const auditorOf = async (hash: string) => {
    const asked = { role: "auditor", name: "a", sites: [hash] };
    return (await server.admin("POST", "/v1/admin/tokens", asked)).body.token as string;
  };

  async function expectProven(id: string) {
    const { status, body } = await show(id);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["chain", "entry", "proof"]);
    const { record, hash, sig, key_id } = body.entry;
    expect([record.record_id, record.chain]).toEqual([id, body.chain]);
    const keys = await auditKeys(server);
    const signed = await verifyRecord(record, hash, sig, keys.get(key_id) as Ed25519Jwk);
    expect(signed.ok).toBe(true);
    const hashes = body.proof.hashes.map((text: string) => fromHex(text) as Uint8Array);
    const leaf = fromHex(hash) as Uint8Array;
    const proven = await verifyReceipt({ ...body.proof, hashes }, leaf, keys.values());
    expect([proven.ok, body.proof.index]).toEqual([true, record.seq]);
    expect(proven.ok && proven.value.origin).toBe(body.chain);
    return body;
  }

  test("has a hash, a signature and a proof that verify, also if it is the newest", async () => {
    await rename("Other");
    for (const { record_id, text } of await all()) {
      const { entry } = await expectProven(record_id);
      expect(entry.record).toEqual(JSON.parse(text));
    }
  });

  test.each(["hourly", "owner"])("is shown and proven if audit_public is %s", async (audit) => {
    await server.admin("PATCH", below(site), { audit_public: audit });
    const newest = (await all()).at(-1)?.record_id as string;
    const anybody = await fetch(`${server.url}/v1/audit/${site}/proof/${newest}`);
    expect(anybody.status).toBe(404);
    await expectProven(newest);
  });

  test("is still available after its log has ended, and after its site is deleted", async () => {
    const [genesis] = await all();
    const renewed = await server.admin("POST", `${below(site)}/audit/epochs`, {
      reason: "a test",
      force: true,
    });
    expect(renewed.status).toBe(201);
    await server.admin("DELETE", below(site));
    const { chain } = await expectProven(genesis?.record_id as string);
    expect(chain).toMatch(/\/audit\/1$/);
    const last = (await all()).at(-1);
    const { record } = JSON.parse(`{"record":${last?.text}}`);
    expect([record.type, record.read.chain]).toEqual(["audit.read", chain]);
  });

  test("is recorded as read, like a page of records, unless it records a read itself", async () => {
    const [genesis, created] = await all();
    await show(created?.record_id as string);
    const page = await server.admin("GET", `${below(site)}/audit/records?from_seq=1&limit=1`);
    expect(page.body.items[0].record.record_id).toBe(created?.record_id);
    const reads = (await all()).slice(-2).map(({ text }) => JSON.parse(text));
    const read = { chain: page.body.chain, from_seq: 1, to_seq: 1, count: 1, type: null };
    expect(reads.map((record) => [record.type, record.read, record.actor.id])).toEqual([
      ["audit.read", read, "operator"],
      ["audit.read", read, "operator"],
    ]);
    const before = (await all()).length;
    await expectProven(reads[0].record_id);
    expect((await all()).length).toBe(before);
    await show(genesis?.record_id as string);
    expect((await all()).length).toBe(before + 1);
  });

  test("does not exist if the site has no such id, and nothing is recorded", async () => {
    const { site_key_hash: other } = await createSite(server, `other-${domains}.example.com`);
    const [theirs] = await all(other);
    const sizes = async () => [(await all()).length, (await all(other)).length];
    const before = await sizes();
    for (const id of [theirs?.record_id as string, UNKNOWN, "x", `${UNKNOWN.slice(0, -1)}%00`]) {
      expect([id, (await show(id)).status]).toEqual([id, 404]);
    }
    expect((await show(UNKNOWN, "A".repeat(43))).status).toBe(404);
    expect(await sizes()).toEqual(before);
  });

  test("can be read by auditors of its site", async () => {
    const { site_key_hash: other } = await createSite(server, `other-${domains}.example.com`);
    const [genesis] = await all();
    const id = genesis?.record_id as string;
    expect((await show(id, site, await auditorOf(site))).status).toBe(200);
    expect((await show(id, site, await auditorOf(other))).status).toBe(404);
    expect((await show(id, other, await auditorOf(other))).status).toBe(404);
    expect((await show(id, site, "not-a-token-of-anybody-at-all-0123456789")).status).toBe(401);
  });
});
