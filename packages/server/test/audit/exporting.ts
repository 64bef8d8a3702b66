import { createHash, createPublicKey, type KeyObject, verify as verifyNow } from "node:crypto";
import { type AuditTrust, type Ed25519Jwk, exportVerifier, type Verify } from "@gatehouse/protocol";
import { OPERATOR_TOKEN } from "../harness.ts";

/** Node's own crypto: the same answers as Web Crypto, sooner. */
const publicKeys = new Map<string, KeyObject>();
const verify: Verify = (jwk, message, signature) => {
  const key = publicKeys.get(jwk.x) ?? createPublicKey({ key: { ...jwk }, format: "jwk" });
  publicKeys.set(jwk.x, key);
  return signature.length === 64 && verifyNow(null, message, key, signature);
};
const hash = (data: Uint8Array | string) => createHash("sha256").update(data).digest();

/** Whatever serves: the service of a test, or one in a process of its own. */
interface Served {
  readonly url: string;
}

/** The published audit keys of a server, by id. */
export async function auditKeys(server: Served): Promise<Map<string, Ed25519Jwk>> {
  const answer = await fetch(`${server.url}/.well-known/audit-jwks.json`);
  const { keys } = (await answer.json()) as { keys: (Ed25519Jwk & { kid: string })[] };
  return new Map(keys.map(({ kid, kty, crv, x }) => [kid, { kty, crv, x }]));
}

export interface ExportedFile {
  readonly name: string;
  readonly text: string;
  readonly next: string | undefined;
}

/** One part of an export, as a client gets it. */
export async function exportPart(server: Served, path: string): Promise<ExportedFile> {
  const answer = await fetch(server.url + path, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
  const [, name = ""] =
    /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "") ?? [];
  const [, next] = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "") ?? [];
  return { name, text, next };
}

export function exportPath(siteKeyHash: string, query: Readonly<Record<string, string>>): string {
  return `/v1/admin/sites/${siteKeyHash}/audit/exports?${new URLSearchParams(query)}`;
}

/** Every part of a day. */
export async function exportDay(
  server: Served,
  siteKeyHash: string,
  query: Readonly<Record<string, string>>,
): Promise<ExportedFile[]> {
  const files: ExportedFile[] = [];
  for (let path: string | undefined = exportPath(siteKeyHash, query); path !== undefined; ) {
    const file: ExportedFile = await exportPart(server, path);
    files.push(file);
    path = file.next;
  }
  return files;
}

type Trust = Partial<AuditTrust> & Pick<AuditTrust, "keys">;

/** The verifier, with Node's own crypto. */
export function exportingVerifier(trust: Trust) {
  return exportVerifier({ pins: [], replay: false, verify, hash, ...trust });
}

/** What the verifier says of parts. */
export async function verdictOf(parts: readonly string[], trust: Trust) {
  const verifier = exportingVerifier(trust);
  for (const part of parts) {
    const added = await verifier.add(part);
    if (!added.ok) throw new Error(added.detail);
  }
  return verifier.report();
}

/** The days of a site's newest log, the first to the last. */
async function daysOf(server: Served, siteKeyHash: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const path = `/v1/admin/sites/${siteKeyHash}/audit/logs`;
  const answer = await fetch(server.url + path, { headers });
  const { items } = (await answer.json()) as { items: { first_day: string; last_day: string }[] };
  const [log] = items as [{ first_day: string; last_day: string }];
  const days: string[] = [];
  for (let ms = Date.parse(log.first_day); ms <= Date.parse(log.last_day); ms += 86_400_000) {
    days.push(new Date(ms).toISOString().slice(0, 10));
  }
  return days;
}

/** Every part of every day of a site's newest log, one after the other. */
export async function* partsOf(server: Served, siteKeyHash: string): AsyncGenerator<ExportedFile> {
  for (const day of await daysOf(server, siteKeyHash)) {
    for (let path: string | undefined = exportPath(siteKeyHash, { day }); path !== undefined; ) {
      const file: ExportedFile = await exportPart(server, path);
      yield file;
      path = file.next;
    }
  }
}

/** The same, all at once. */
export async function exportDays(server: Served, siteKeyHash: string): Promise<ExportedFile[]> {
  const files: ExportedFile[] = [];
  for await (const file of partsOf(server, siteKeyHash)) files.push(file);
  return files;
}

/** A record of an export, by member: a test reads what it expects. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Told = any;

/** What is wrong with everything a site has exported, its decisions decided again. */
export async function findingsOfSite(server: Served, siteKeyHash: string) {
  const keys = await auditKeys(server);
  const parts = await exportDays(server, siteKeyHash);
  const texts = parts.map(({ text }) => text);
  return (await verdictOf(texts, { keys, replay: true })).findings;
}
