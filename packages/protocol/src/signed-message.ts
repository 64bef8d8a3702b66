import { isJsonObject, type JsonObject, type JsonValue } from "./json/value.js";
import { ok, type Result, refuse } from "./result.js";

/** What every message an agent signs comes as: what is signed, and who signed it. */
export interface SignedMessage {
  readonly signed: JsonObject;
  readonly envelope: JsonObject;
}

const SIGNATURE = /^[A-Za-z0-9_-]{86}$/;
const KID = /^[A-Za-z0-9_-]{43}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/**
 * Reads `{ signed, envelope }`, and nothing besides.
 *
 * @example
 * readSignedMessage({ signed: {}, envelope: {} }).ok; //=> true
 * readSignedMessage({ signed: {} }).reason; //=> "schema_invalid"
 */
export function readSignedMessage(body: JsonValue): Result<SignedMessage, "schema_invalid"> {
  if (!isJsonObject(body)) return refuse("schema_invalid", "the body must be an object");
  const { signed, envelope, ...rest } = body;
  if (!isJsonObject(signed) || !isJsonObject(envelope)) {
    return refuse("schema_invalid", "`signed` and `envelope` must be objects");
  }
  if (Object.keys(rest).length > 0) {
    return refuse("schema_invalid", "the body must have only `signed` and `envelope`");
  }
  return ok({ signed, envelope });
}

/** The one signature of an envelope. */
export interface Envelope {
  /** Thumbprint of the key that signed (RFC 7638). */
  readonly kid: string;
  readonly signature: string;
}

/**
 * Reads an envelope of one signature; other members than `optional` names are refused, since nothing
 * vouches for them.
 *
 * @example
 * readEnvelope({ alg: "none" }).reason; //=> "unsupported_version"
 */
export function readEnvelope(
  envelope: JsonObject,
  optional: readonly string[] = [],
): Result<Envelope, "schema_invalid" | "unsupported_version"> {
  // Drafts of this protocol, and of its neighbours, call it `sig`.
  const { alg, kid, signature = envelope.sig } = envelope;
  if (alg !== "EdDSA") return refuse("unsupported_version", '`envelope.alg` must be "EdDSA"');
  if (typeof kid !== "string" || !KID.test(kid)) {
    return refuse("schema_invalid", "`envelope.kid` must be the thumbprint of the key");
  }
  if (typeof signature !== "string" || !SIGNATURE.test(signature)) {
    return refuse("schema_invalid", "`envelope.signature` must be 86 characters of base64url");
  }
  const known = ["alg", "kid", "signature" in envelope ? "signature" : "sig", ...optional];
  if (Object.keys(envelope).some((name) => !known.includes(name))) {
    return refuse("schema_invalid", "`envelope` has an unknown member");
  }
  return ok({ kid, signature });
}

/**
 * Milliseconds of a time on the wire (ISO-8601 UTC); undefined for anything else.
 *
 * @example
 * readWireTime("1970-01-01T00:00:01Z"); //=> 1000
 * readWireTime("1970-01-01T00:00:01+01:00"); //=> undefined
 */
export function readWireTime(value: JsonValue | undefined): number | undefined {
  if (typeof value !== "string" || !TIME.test(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}
