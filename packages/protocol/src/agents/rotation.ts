import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { type Ed25519Jwk, readPublicJwk } from "../keys/jwk.js";
import { ok, type Result, refuse } from "../result.js";
import { type Envelope, readEnvelope, readSignedMessage, readWireTime } from "../signed-message.js";
import { DAY_S } from "../time.js";

/** How long both keys may be good, in seconds. */
export const OVERLAP_S_MAX = 30 * DAY_S;

/** An agent moves from one key to another, by both of them. */
export interface Rotation {
  readonly audience: string;
  readonly siteKey: string;
  readonly agentId: string;
  /** The new key. */
  readonly jwk: Ed25519Jwk;
  /** How long the old key stays good. */
  readonly overlapS: number;
  /** Milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** By the key that goes, and by the key that comes. */
  readonly by: { readonly old: Envelope; readonly new: Envelope };
  readonly signed: JsonObject;
}

/** The two signatures of an envelope, the old key's first. */
function readBoth(envelope: JsonObject): Rotation["by"] | undefined {
  const { alg, signatures = envelope.sigs, ...rest } = envelope;
  if (alg !== "EdDSA" || !Array.isArray(signatures) || signatures.length !== 2) return undefined;
  if (Object.keys(rest).some((name) => name !== "sigs")) return undefined;
  const [first, second] = (signatures as readonly JsonValue[]).map((one) =>
    isJsonObject(one) ? readEnvelope({ alg, ...one }) : undefined,
  );
  return first?.ok && second?.ok ? { old: first.value, new: second.value } : undefined;
}

/**
 * Reads a rotation: `{v: 1, type: "key_rotation", audience, site_key, agent_id, jwk, issued_at,
 * expires_at, overlap_seconds?}` under its own tag, with `envelope: {alg, signatures: [{kid, signature}
 * of the old key, {kid, signature} of the new one]}`.
 *
 * @example
 * readRotation({ signed: { v: 1 }, envelope: {} }).reason; //=> "schema_invalid"
 */
export function readRotation(
  body: JsonValue,
): Result<Rotation, "schema_invalid" | "unsupported_version"> {
  const parts = readSignedMessage(body);
  if (!parts.ok) return parts;
  const { signed, envelope } = parts.value;
  if (signed.v !== 1) return refuse("unsupported_version", "`v` must be 1");
  const by = readBoth(envelope);
  if (by === undefined) return refuse("schema_invalid", "`envelope` must have two signatures");
  const {
    audience,
    site_key: siteKey,
    agent_id: agentId,
    overlap_seconds: overlap = DAY_S,
  } = signed;
  const jwk = readPublicJwk(signed.jwk);
  const [issuedAt, expiresAt] = [readWireTime(signed.issued_at), readWireTime(signed.expires_at)];
  const named = [audience, siteKey, agentId].every((name) => typeof name === "string");
  if (signed.type !== "key_rotation" || !named || !jwk.ok || jwk.value.kty !== "OKP") {
    return refuse("schema_invalid", "a member of `signed` is missing or wrong");
  }
  if (issuedAt === undefined || expiresAt === undefined) {
    return refuse("schema_invalid", "`issued_at` and `expires_at` must be ISO-8601 UTC times");
  }
  if (
    typeof overlap !== "number" ||
    !Number.isInteger(overlap) ||
    overlap < 0 ||
    overlap > OVERLAP_S_MAX
  ) {
    return refuse("schema_invalid", "`overlap_seconds` must be a whole number up to 30 days");
  }
  return ok(
    Object.freeze({
      audience: audience as string,
      siteKey: siteKey as string,
      agentId: agentId as string,
      jwk: jwk.value,
      overlapS: overlap,
      issuedAt,
      expiresAt,
      by,
      signed,
    }),
  );
}
