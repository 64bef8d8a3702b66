/**
 * All that it takes to check a log: SHA-256, Ed25519 and a canonicalizer. Written from the contract
 * and the public formats it names, without any code of the service.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { ask, askAsOperator, type Service } from "./asking.ts";
import { canonical, type Key } from "./verifying.ts";

export const AUDIT_KEYS = "/.well-known/audit-jwks.json";

export interface Entry {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly record: any;
  readonly hash: string;
  readonly sig: string;
  readonly key_id: string;
}

export async function auditKeys(at?: Service): Promise<readonly Key[]> {
  return (await ask("GET", AUDIT_KEYS, {}, at)).body.keys;
}

const sha256 = (...parts: (string | Buffer)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export function recordHash(record: unknown): string {
  return sha256(Buffer.of(0), canonical(record)).toString("hex");
}

function holds(key: Key, message: string, signature: Buffer): boolean {
  const publicKey = createPublicKey({ key: { ...key }, format: "jwk" });
  return verify(null, Buffer.from(message), publicKey, signature);
}

/** Whether a record's own signature holds. */
export function recordHolds({ record, hash, sig, key_id }: Entry, keys: readonly Key[]): boolean {
  const key = keys.find(({ kid }) => kid === key_id);
  const message = `audit-record/v1\n${record.chain}\n${record.seq}\n${hash}\n`;
  return key !== undefined && holds(key, message, Buffer.from(sig, "base64url"));
}

/** The text of a C2SP signed note, if one of the keys has signed it under this name. */
export function noteText(note: string, name: string, keys: readonly Key[]): string | undefined {
  const at = note.lastIndexOf("\n\n");
  const text = note.slice(0, at + 1);
  const [, signer, coded = ""] = /^\u2014 (\S+) (\S+)\n$/.exec(note.slice(at + 2)) ?? [];
  const bytes = Buffer.from(coded, "base64");
  const signed = keys.some((key) => {
    const raw = Buffer.from(key.x, "base64url");
    const id = sha256(`${name}\n`, Buffer.of(1), raw).subarray(0, 4);
    return id.equals(bytes.subarray(0, 4)) && holds(key, text, bytes.subarray(4));
  });
  return signer === name && signed ? text : undefined;
}

/** The root of RFC 6962 over leaf hashes, straight from its definition. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return sha256("");
  if (leaves.length === 1) return first;
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return sha256(Buffer.of(1), rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)));
}

export interface Exported {
  readonly name: string;
  readonly text: string;
  readonly type: string;
  readonly next: string | undefined;
}

/** One file of an export. */
export async function exported(path: string): Promise<Exported> {
  const { status, headers, text } = await askAsOperator("GET", path);
  if (status !== 200) throw new Error(`${status} ${text}`);
  const [, name = ""] = /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "") ?? [];
  const [, next] = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
  return { name, text, type: headers.get("content-type") ?? "", next };
}

/** The day a record was written on, which is the day it is exported by. */
export function exportPath(siteKeyHash: string, query: Readonly<Record<string, string>>): string {
  return `/v1/admin/sites/${siteKeyHash}/audit/exports?${new URLSearchParams(query)}`;
}
