/**
 * All that it takes to verify a document: a canonicalizer and Ed25519. Written from the contract,
 * without any code of the service, so that the tests prove what an outsider can do.
 */
import { createPublicKey, verify } from "node:crypto";
import { ask, KEY_SET, type Service } from "./asking.ts";

export interface Key {
  readonly kty: string;
  readonly crv: string;
  readonly alg: string;
  readonly use: string;
  readonly kid: string;
  readonly x: string;
}

interface Document {
  readonly [member: string]: unknown;
}

export interface Card extends Document {
  readonly signing: {
    readonly issued_at: string;
    readonly expires_at: string;
    readonly signing_key_id: string;
    readonly envelope_signature: string;
  };
}

export interface Manifest extends Document {
  readonly signature: string;
}

export interface A2aCard extends Document {
  readonly signatures: readonly { readonly protected: string; readonly signature: string }[];
}

export async function keySet(at?: Service): Promise<readonly Key[]> {
  return (await ask("GET", KEY_SET, {}, at)).body.keys;
}

/** RFC 8785: members sorted by UTF-16 units, strings and numbers as ECMAScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join()}}`;
}

function isSigned({ kty, crv, x }: Key, message: string, signature: string): boolean {
  const key = createPublicKey({ key: { kty, crv, x }, format: "jwk" });
  return verify(null, Buffer.from(message), key, Buffer.from(signature, "base64url"));
}

const keyNamed = (kid: unknown, keys: readonly Key[]) => keys.find((key) => key.kid === kid);

/** What `signing.envelope_signature` covers. */
export function withoutEnvelope(card: Card): Document {
  const { envelope_signature: _, ...signing } = card.signing;
  return { ...card, signing };
}

/** The recipe of the contract, step by step. */
export function cardVerifies(card: Card, keys: readonly Key[]): boolean {
  const key = keyNamed(card.signing.signing_key_id, keys);
  const { envelope_signature } = card.signing;
  return key !== undefined && isSigned(key, canonical(withoutEnvelope(card)), envelope_signature);
}

export function headerOf(jws: string): Document {
  const [header = ""] = jws.split(".");
  return JSON.parse(Buffer.from(header, "base64url").toString());
}

function jwsVerifies(jws: string, payload: string, keys: readonly Key[]): boolean {
  const [header, between, signature = ""] = jws.split(".");
  const { kid, alg } = headerOf(jws);
  const key = keyNamed(kid, keys);
  if (key === undefined || alg !== "EdDSA" || between !== "") return false;
  const covered = `${header}.${Buffer.from(payload).toString("base64url")}`;
  return isSigned(key, covered, signature);
}

/** A catalog's trust manifest: the JWS names the key and covers everything but itself. */
export function manifestVerifies(manifest: Manifest, keys: readonly Key[]): boolean {
  const { signature, ...body } = manifest;
  return jwsVerifies(signature, canonical(body), keys);
}

/** A2A's own signatures, which cover the members A2A knows. */
export function a2aVerifies(card: A2aCard, keys: readonly Key[]): boolean {
  const { signatures, ...covered } = card;
  const [first] = signatures;
  if (first === undefined) return false;
  return jwsVerifies(`${first.protected}..${first.signature}`, canonical(covered), keys);
}

/** Copies of a document, each with one value changed or one added, at every depth. */
export function* altered(value: unknown): Generator<unknown> {
  if (typeof value === "string") yield `${value}~`;
  if (typeof value === "boolean") yield !value;
  if (typeof value === "number") yield value + 1;
  if (Array.isArray(value)) {
    yield [...value, "added"];
    for (const [place, item] of value.entries()) {
      for (const change of altered(item)) yield value.with(place, change);
    }
  } else if (typeof value === "object" && value !== null) {
    yield { ...value, added: "added" };
    for (const [name, member] of Object.entries(value)) {
      for (const change of altered(member)) yield { ...value, [name]: change };
    }
  }
}
