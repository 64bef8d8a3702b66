import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { type Ed25519Jwk, readPublicJwk } from "../keys/jwk.js";
import { ok, type Result, refuse } from "../result.js";
import { type Envelope, readEnvelope, readSignedMessage, readWireTime } from "../signed-message.js";
import { parseUrl } from "../url.js";
import { isScope, SCOPES_MAX } from "./scopes.js";

const NAME_CHARS_MAX = 80;
const CONTACT_CHARS_MAX = 200;
const URL_CHARS_MAX = 2048;
const CHALLENGE_CHARS_MAX = 200;

/** How an agent publishes the key it registers. */
export const KEY_SOURCE_TYPES = Object.freeze([
  "directory",
  "jwks_uri",
  "did_web",
  "a2a_card",
] as const);

export interface KeySource {
  readonly type: (typeof KEY_SOURCE_TYPES)[number];
  readonly url: string;
}

/** What an agent says of itself when it registers. All of it is claimed. */
export interface Registration {
  readonly audience: string;
  readonly siteKey: string;
  readonly challenge: string;
  readonly jwk: Ed25519Jwk;
  readonly kid: string;
  readonly name: string;
  readonly contact: string | null;
  readonly operatorUrl: string | null;
  readonly keySource: KeySource | null;
  readonly requestedScopes: readonly string[];
  /** Milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly envelope: Envelope;
  readonly signed: JsonObject;
}

/** Controls, bidi marks and whatever else hides or turns text around. */
const HIDDEN = /[\p{Cc}\p{Cf}]/gu;

function lineOf(value: JsonValue | undefined, charsMax: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const line = value.replace(HIDDEN, "").replace(/\s+/g, " ").trim();
  return line === "" || line.length > charsMax ? undefined : line;
}

function httpsUrl(value: JsonValue | undefined): string | undefined {
  if (typeof value !== "string" || value.length > URL_CHARS_MAX) return undefined;
  const url = parseUrl(value);
  return url?.protocol === "https:" && url.username === "" && url.password === ""
    ? url.href
    : undefined;
}

/** A member that may be left out: null then, undefined when it is there and wrong. */
function optional<T>(value: JsonValue | undefined, read: (value: JsonValue) => T | undefined) {
  return value === undefined || value === null ? null : read(value);
}

function readKeySource(value: JsonValue): KeySource | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = KEY_SOURCE_TYPES.find((name) => name === value.type);
  const url = httpsUrl(value.url);
  return type === undefined || url === undefined ? undefined : Object.freeze({ type, url });
}

function readScopes(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > SCOPES_MAX) return undefined;
  const scopes = value as readonly JsonValue[];
  return scopes.every((scope) => typeof scope === "string" && isScope(scope))
    ? (scopes as readonly string[])
    : undefined;
}

function readClaims(signed: JsonObject) {
  return {
    name: lineOf(signed.display_name, NAME_CHARS_MAX),
    contact: optional(signed.contact, (value) => lineOf(value, CONTACT_CHARS_MAX)),
    operatorUrl: optional(signed.operator_url, httpsUrl),
    keySource: optional(signed.key_source, readKeySource),
    requestedScopes: readScopes(signed.requested_scopes),
  };
}

/**
 * Reads a registration. The key is read from the message and must be the one that signed it; whether
 * it is a good key, and whether the signature holds, is found out by whoever admits it.
 *
 * @example
 * readRegistration({ signed: { v: 2 }, envelope: {} }).reason; //=> "unsupported_version"
 */
export function readRegistration(
  body: JsonValue,
): Result<Registration, "schema_invalid" | "unsupported_version"> {
  const invalid = (member: string) => refuse("schema_invalid", `\`${member}\` is missing or wrong`);
  const parts = readSignedMessage(body);
  if (!parts.ok) return parts;
  const { signed, envelope } = parts.value;
  if (signed.v !== 1) return refuse("unsupported_version", "`v` must be 1");
  if (signed.type !== "agent_registration") return invalid("type");
  const sealed = readEnvelope(envelope);
  if (!sealed.ok) return sealed;
  const { audience = signed.aud, site_key: siteKey, challenge, kid } = signed;
  const issuedAt = readWireTime(signed.issued_at);
  const expiresAt = readWireTime(signed.expires_at);
  const jwk = readPublicJwk(signed.jwk);
  if (typeof audience !== "string") return invalid("audience");
  if (typeof siteKey !== "string") return invalid("site_key");
  if (typeof challenge !== "string" || challenge.length > CHALLENGE_CHARS_MAX) {
    return invalid("challenge");
  }
  if (issuedAt === undefined) return invalid("issued_at");
  if (expiresAt === undefined) return invalid("expires_at");
  if (!jwk.ok || jwk.value.kty !== "OKP") return invalid("jwk");
  if (kid !== sealed.value.kid) return invalid("kid");
  const claims = readClaims(signed);
  for (const [member, value] of Object.entries(claims)) {
    if (value === undefined) return invalid(member.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`));
  }
  const { name, contact, operatorUrl, keySource, requestedScopes } = claims as {
    [Name in keyof typeof claims]: Exclude<(typeof claims)[Name], undefined>;
  };
  return ok(
    Object.freeze({
      audience,
      siteKey,
      challenge,
      kid,
      jwk: jwk.value,
      issuedAt,
      expiresAt,
      signed,
      name,
      contact,
      operatorUrl,
      keySource,
      requestedScopes,
      envelope: sealed.value,
    }),
  );
}
