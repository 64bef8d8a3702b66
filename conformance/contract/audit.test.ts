import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, askAsOperator, newSite } from "./asking.ts";
import {
  AUDIT_KEYS,
  auditKeys,
  type Entry,
  exported,
  exportPath,
  noteText,
  recordHash,
  recordHolds,
  rootOf,
} from "./auditing.ts";
import { canonical, keySet } from "./verifying.ts";

let made: Awaited<ReturnType<typeof newSite>>;
let site: string;

const change = (name: string) => askAsOperator("PATCH", `/v1/admin/sites/${site}`, { name });

/** The whole log so far, read by a token of the site. */
async function entries(): Promise<readonly Entry[]> {
  const path = `/v1/admin/sites/${site}/audit/records?from_seq=0&limit=200`;
  return (await askAsOperator("GET", path)).body.items;
}

/** Today, as the service's own clock has it. */
async function today(): Promise<string> {
  const path = `/v1/admin/sites/${site}/audit/records?limit=1`;
  return (await askAsOperator("GET", path)).body.items[0].record.recorded_at.slice(0, 10);
}

beforeAll(async () => {
  made = await newSite();
  site = made.site.site_key_hash;
  for (let i = 0; i < 6; i++) await change(`Name ${i}`);
});

afterAll(() => made.done());

test("[5.5-d] the audit key is published in its own key set", async () => {
  const { status, headers, body } = await ask("GET", AUDIT_KEYS);
  expect([status, headers.get("content-type")]).toEqual([
    200,
    "application/jwk-set+json; charset=utf-8",
  ]);
  expect(body.keys[0].kid).toMatch(/^service-audit-ed25519-v1-[0-9a-f]{16}$/);
});

test("[5.5-b 6.2-d] every record is signed by a key that does not sign cards", async () => {
  const keys = await auditKeys();
  const cardKeys = (await keySet()).map(({ x }) => x);
  expect(keys.some(({ x }) => cardKeys.includes(x))).toBe(false);
  const all = await entries();
  expect(all.length).toBeGreaterThan(6);
  for (const entry of all) {
    expect(entry.hash).toBe(recordHash(entry.record));
    expect(recordHolds(entry, keys)).toBe(true);
    const forged = { ...entry, hash: recordHash({ ...entry.record, node: "x" }) };
    expect(recordHolds(forged, keys)).toBe(false);
  }
});

test("[6.2-e] each record names the one before it, and all records are leaves of the signed tree", async () => {
  const all = await entries();
  const links = all.map(({ record }) => record.prev_hash);
  expect(links).toEqual(["0".repeat(64), ...all.slice(0, -1).map(({ hash }) => hash)]);
  const note = (await ask("GET", `/v1/audit/${site}/checkpoint`)).text;
  const [{ record }] = all as [Entry];
  const text = noteText(note, record.chain, await auditKeys());
  const [origin, size, root] = text?.split("\n") ?? [];
  const leaves = (await entries())
    .slice(0, Number(size))
    .map(({ hash }) => Buffer.from(hash, "hex"));
  expect([origin, leaves.length]).toEqual([record.chain, Number(size)]);
  expect(rootOf(leaves).toString("base64")).toBe(root);
});

test("[6.2-c] a record never changes, and neither does its position", async () => {
  const before = await entries();
  await change("Later");
  const after = await entries();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.length).toBeGreaterThan(before.length);
  const records = `/v1/admin/sites/${site}/audit/records`;
  for (const method of ["PUT", "PATCH", "DELETE", "POST"]) {
    const { status } = await askAsOperator(method, records, {});
    expect([method, status]).toEqual([method, 405]);
  }
});

test("[5.5-c 6.2-f] a day is exported as JSON that the audit key signs", async () => {
  const file = await exported(exportPath(site, { day: await today() }));
  expect(file.type).toBe("application/json; charset=utf-8");
  const { bundle, signature } = JSON.parse(file.text);
  const digest = createHash("sha256").update(canonical(bundle)).digest("hex");
  const signed = `audit-bundle/v1\n${bundle.chain}\n${digest}\n`;
  expect(noteText(signature, bundle.chain, await auditKeys())).toBe(signed);
  expect(noteText(signature, bundle.chain, await keySet())).toBe(undefined);
});

test("[6.2-g] a day is exported as one HTML page that contains the signed records", async () => {
  const file = await exported(exportPath(site, { day: await today(), format: "html" }));
  expect([file.type, file.name.endsWith(".html")]).toEqual(["text/html; charset=utf-8", true]);
  expect(file.text.startsWith("<!doctype html>")).toBe(true);
  const [, json = ""] =
    /<script type="application\/json" id="audit-export">(.*?)<\/script>/s.exec(file.text) ?? [];
  const { bundle } = JSON.parse(json);
  const keys = await auditKeys();
  expect(bundle.records.length).toBeGreaterThan(6);
  expect(bundle.records.every((entry: Entry) => recordHolds(entry, keys))).toBe(true);
  // Nothing in it comes from elsewhere.
  expect(file.text).not.toMatch(/<(?:link|img|iframe)\b|\ssrc=/);
});

test("[6.2-h] a day is exported as OCSF lines from which each record's hash can be recomputed", async () => {
  const file = await exported(exportPath(site, { day: await today(), format: "ocsf" }));
  expect([file.type, file.name.endsWith(".ndjson")]).toEqual([
    "application/x-ndjson; charset=utf-8",
    true,
  ]);
  const lines = file.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ metadata }) => metadata.sequence)).toEqual(lines.map((_, i) => i));
  for (const { class_uid, metadata, raw_data, unmapped } of lines) {
    expect([class_uid, metadata.version]).toEqual([6003, "1.8.0"]);
    expect(unmapped.audit.hash).toBe(recordHash(JSON.parse(raw_data)));
  }
});

test("[6.2-i 6.2-k 8-f] a day of more than 1,000 records is exported in named parts of 1,000", {
  timeout: 60_000,
}, async () => {
  const lane = async (number: number) => {
    for (let i = 0; i < 126; i++) {
      // Lanes may meet at one version of the site; what was refused is not recorded.
      while ((await change(`Lane ${number}, ${i}`)).status === 409);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)));
  const first = await exported(exportPath(site, { day: await today() }));
  const second = await exported(first.next as string);
  const parts = [first, second];
  const [name] = first.name.split("-part-");
  expect(parts.map((part) => part.name)).toEqual([
    `${name}-part-1-of-2.json`,
    `${name}-part-2-of-2.json`,
  ]);
  expect(second.next).toBe(undefined);
  const bundles = parts.map(({ text }) => JSON.parse(text).bundle);
  expect(bundles[0].records.length).toBe(1000);
  expect(bundles[1].records.length).toBe(bundles[0].day_count - 1000);
  const seqs = bundles.flatMap(({ records }) => records.map(({ record }: Entry) => record.seq));
  expect(seqs).toEqual(seqs.map((_, i) => i));
});

test("[6.2-j] every part is signed and names the one before it", async () => {
  const keys = await auditKeys();
  let before: string | null = null;
  for (let path: string | undefined = exportPath(site, { day: await today() }); path; ) {
    const part = await exported(path);
    const { bundle, signature } = JSON.parse(part.text);
    expect(bundle.prev_part_sha256).toBe(before);
    before = createHash("sha256").update(canonical(bundle)).digest("hex");
    const text = noteText(signature, bundle.chain, keys);
    expect(text).toBe(`audit-bundle/v1\n${bundle.chain}\n${before}\n`);
    path = part.next;
  }
  expect(before).not.toBe(null);
});
