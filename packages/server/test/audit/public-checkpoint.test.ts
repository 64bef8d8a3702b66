import { type Ed25519Jwk, fromHex, readReceipt, verifyReceipt } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { createSite, freshEnvironment, NOON, startServer, type TestServer } from "../harness.ts";
import { auditKeys } from "./exporting.ts";

/** Ten minutes past a full hour. */
const PAST_THE_HOUR = NOON + 600_000;

async function startShop() {
  const clock = new ManualClock(PAST_THE_HOUR);
  const server = await startServer(await freshEnvironment("sqlite"), { clock });
  const { site_key_hash: site } = await createSite(server, "shop.example.com");
  const rename = (name: string) => server.admin("PATCH", `/v1/admin/sites/${site}`, { name });
  const get = (path: string, accept = "*/*") =>
    fetch(`${server.url}/v1/audit/${site}/${path}`, { headers: { accept } });
  const newest = async () => {
    const { body } = await server.admin("GET", `/v1/admin/sites/${site}/audit/records?limit=1`);
    return body.items[0];
  };
  return { clock, server, site, rename, get, newest };
}

const sizeOf = (checkpoint: string) => Number(checkpoint.split("\n")[1]);

describe("a public checkpoint", () => {
  test("is signed by the audit key under the log's own name, and advances", async () => {
    const { server, rename, get } = await startShop();
    const first = await (await get("checkpoint")).text();
    await rename("Other");
    const answer = await get("checkpoint");
    const second = await answer.text();
    expect([sizeOf(first), sizeOf(second)]).toEqual([3, 4]);
    expect(second.split("\n")[0]).toBe("shop.example.com/audit/1");
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=UTF-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect((await auditKeys(server)).size).toBe(2);
  });

  test("does not exist for a site that is missing or has another name", async () => {
    const { server, site } = await startShop();
    for (const path of [`${"A".repeat(43)}/checkpoint`, "x/checkpoint", `${site}/other`]) {
      expect((await fetch(`${server.url}/v1/audit/${path}`)).status).toBe(404);
    }
    const posted = await fetch(`${server.url}/v1/audit/${site}/checkpoint`, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("of a site that is older than the logs starts its log", async () => {
    const { server, site, get } = await startShop();
    const { db } = server.context;
    const old = "B".repeat(43);
    await db.run(
      `INSERT INTO sites (site_key_hash, site_key, domain, name, description, status, version,
         verification_token, failed_days, created_at, changed_at, skills)
       SELECT ?, ?, 'old.example.com', name, description, status, version, verification_token,
         failed_days, created_at, changed_at, skills FROM sites WHERE site_key_hash = ?`,
      ...[old, "sk_old-shop", site].map((value) => value),
    );
    const answer = await fetch(`${server.url}/v1/audit/${old}/checkpoint`);
    const note = await answer.text();
    expect(note.split("\n").slice(0, 2)).toEqual(["old.example.com/audit/1", "1"]);
    expect((await get("checkpoint")).status).toBe(200);
  });
});

describe("a proof", () => {
  let keys: Ed25519Jwk[];
  let shop: Awaited<ReturnType<typeof startShop>>;
  let server: TestServer;

  beforeAll(async () => {
    shop = await startShop();
    server = shop.server;
    for (let i = 0; i < 12; i++) await shop.rename(`Name ${i}`);
    keys = [...(await auditKeys(server)).values()];
  });

  test("of every record verifies as text, and reveals nothing about its content", async () => {
    const path = `/v1/admin/sites/${shop.site}/audit/records?from_seq=0`;
    const { body } = await server.admin("GET", path);
    expect(body.items.length).toBe(15);
    for (const { record, hash } of body.items) {
      const answer = await shop.get(`proof/${record.record_id}`, "text/plain");
      const text = await answer.text();
      const receipt = readReceipt(text);
      if (!receipt.ok) throw new Error(receipt.detail);
      expect(receipt.value.index).toBe(record.seq);
      const proven = await verifyReceipt(receipt.value, fromHex(hash) as Uint8Array, keys);
      expect(proven.ok).toBe(true);
      const other = await verifyReceipt(receipt.value, new Uint8Array(32), keys);
      expect(other.ok).toBe(false);
      expect(text).not.toMatch(/\bName\b/);
    }
  });

  test("has the same content as JSON, in hex", async () => {
    const { record, hash } = await shop.newest();
    const answer = await shop.get(`proof/${record.record_id}`);
    const body = (await answer.json()) as Record<string, unknown>;
    expect(Object.keys(body).sort()).toEqual(["checkpoint", "hashes", "index", "record_hash"]);
    expect([body.index, body.record_hash]).toEqual([record.seq, hash]);
    const hashes = (body.hashes as string[]).map((text) => fromHex(text) as Uint8Array);
    const receipt = { index: record.seq, hashes, checkpoint: body.checkpoint as string };
    expect((await verifyReceipt(receipt, fromHex(hash) as Uint8Array, keys)).ok).toBe(true);
  });

  test("does not exist for an unknown record, or another site's", async () => {
    const { record } = await shop.newest();
    const other = await createSite(server, "other.example.com");
    const path = `${server.url}/v1/audit/${other.site_key_hash}/proof/${record.record_id}`;
    expect((await fetch(path)).status).toBe(404);
    expect((await shop.get("proof/00000000-0000-7000-8000-000000000000")).status).toBe(404);
    expect((await shop.get("proof/x")).status).toBe(404);
  });
});

describe("the setting audit_public", () => {
  test("hourly shows the log as of the last full hour", async () => {
    const { clock, server, site, rename, get, newest } = await startShop();
    await server.admin("PATCH", `/v1/admin/sites/${site}`, { audit_public: "hourly" });
    expect(sizeOf(await (await get("checkpoint")).text())).toBe(0);
    clock.advance(3_600_000);
    const atTheHour = sizeOf(await (await get("checkpoint")).text());
    expect(atTheHour).toBe(4);
    const { record } = await newest();
    expect((await get(`proof/${record.record_id}`)).status).toBe(200);
    await rename("Later");
    expect(sizeOf(await (await get("checkpoint")).text())).toBe(atTheHour);
    const later = (await newest()).record;
    const hidden = await get(`proof/${later.record_id}`);
    expect([hidden.status, (await hidden.json()).message]).toEqual([
      404,
      "The proof of this record is available from the next full hour on.",
    ]);
    clock.advance(3_600_000);
    expect((await get(`proof/${later.record_id}`)).status).toBe(200);
  });

  test("owner shows nothing to the public, and everything to the site's tokens", async () => {
    const { server, site, get, newest } = await startShop();
    await server.admin("PATCH", `/v1/admin/sites/${site}`, { audit_public: "owner" });
    const { record } = await newest();
    expect((await get("checkpoint")).status).toBe(404);
    expect((await get(`proof/${record.record_id}`)).status).toBe(404);
    const own = await server.admin("GET", `/v1/admin/sites/${site}/audit/checkpoint`);
    expect([own.status, sizeOf(own.body)]).toEqual([200, 5]);
    const shown = await server.admin("GET", `/v1/admin/sites/${site}`);
    expect(shown.body.audit_public).toBe("owner");
    const wrong = await server.admin("PATCH", `/v1/admin/sites/${site}`, { audit_public: "some" });
    expect(wrong.status).toBe(400);
  });
});

describe("reading a log", () => {
  test("is recorded, unless it only shows the reader's own reads", async () => {
    const { server, site } = await startShop();
    const path = `/v1/admin/sites/${site}/audit/records`;
    const read = async (query: string) => (await server.admin("GET", path + query)).body;
    const wanted = { name: "B", role: "auditor", sites: [site] };
    const other = await server.admin("POST", "/v1/admin/tokens", wanted);
    expect((await read("")).items.length).toBe(4);
    const [own] = (await read("?limit=1")).items;
    expect([own.record.type, own.record.read]).toEqual([
      "audit.read",
      { chain: "shop.example.com/audit/1", from_seq: 0, to_seq: 3, count: 4, type: null },
    ]);
    // Two who follow the log do not show each other their following for ever.
    for (let i = 0; i < 3; i++) {
      expect((await read("?from_seq=4")).items.length).toBe(1);
      const path2 = `${path}?from_seq=4`;
      const seen = await server.admin("GET", path2, undefined, other.body.token);
      expect(seen.body.items.length).toBe(1);
    }
    // Asking for a type tells something even where there is none of it.
    expect((await read("?type=chain.key_rotated")).items.length).toBe(0);
    expect((await read("?from_seq=4")).items.length).toBe(2);
  });

  test("goes page by page, newest first", async () => {
    const { server, site, rename } = await startShop();
    for (let i = 0; i < 4; i++) await rename(`n${i}`);
    const path = `/v1/admin/sites/${site}/audit/records?limit=3&type=site.changed`;
    const first = (await server.admin("GET", path)).body;
    const second = (await server.admin("GET", `${path}&cursor=${first.next_cursor}`)).body;
    const seqs = [...first.items, ...second.items].map(({ record }) => record.seq);
    expect([seqs, second.next_cursor]).toEqual([[6, 5, 4, 3, 2, 1], undefined]);
    expect((await server.admin("GET", `${path}&cursor=x`)).status).toBe(400);
  });
});
