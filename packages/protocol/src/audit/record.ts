import { fromBase64url, toBase64url } from "../base64url.js";
import { sha256, toHex, utf8 } from "../bytes.js";
import { canonicalize } from "../json/canonicalize.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import type { PublicJwk } from "../keys/jwk.js";
import { type Signer, type Verify, verifyWithWebCrypto } from "../keys/signer.js";
import { ok, type Result, refuse } from "../result.js";
import type { HashBytes } from "./tree.js";

export const RECORD_SCHEMA = "audit-record/v1";
/** Longest canonical record, in bytes: tiles of C2SP logs count entries with 16 bits. */
export const RECORD_BYTES_MAX = 60 * 1024;
/** What the first record of a chain names as the one before it. */
export const NO_PREVIOUS_HASH = "0".repeat(64);

/** Everything that is ever recorded. */
export const RECORD_TYPES = Object.freeze([
  "chain.genesis",
  "chain.day_closed",
  "chain.key_rotated",
  "mandate.decision",
  "checkout.decision",
  "payment.outcome",
  "review.decision",
  "refusals.folded",
  "mcp.tools_call",
  "order.approval",
  "order.adjustment",
  "order.capture",
  "order.refund",
  "site.changed",
  "audit.read",
  "audit.exported",
  "token.issued",
  "token.revoked",
  "clock.accepted",
  "person.invited",
  "person.joined",
  "person.changed",
] as const);

/** The type of a record. */
export type RecordType = (typeof RECORD_TYPES)[number];

/** What every record has; its other members depend on its type. */
export interface AuditRecord extends JsonObject {
  readonly schema: typeof RECORD_SCHEMA;
  /** The log it belongs to: `{domain}/audit/{epoch}`, or `{host}/installation/audit/{epoch}`. */
  readonly chain: string;
  /** Its place in the chain, which is also its leaf in the tree; the first is 0. */
  readonly seq: number;
  /** Hash of the record before it, in hex. */
  readonly prev_hash: string;
  readonly record_id: string;
  readonly type: RecordType;
  /** When it happened, and when it was written down: the second never goes back. */
  readonly occurred_at: string;
  readonly recorded_at: string;
}

/** Why a value is no record, or not the one that was signed. */
export type RecordFault = "malformed" | "hash_mismatch" | "signature_invalid";

const NAME = /^[a-z0-9_]+$/;
const HEX_HASH = /^[0-9a-f]{64}$/;
const ISO_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const TYPES: ReadonlySet<unknown> = new Set(RECORD_TYPES);
/** Names found to be in order; records have few of them, and each again and again. */
const goodNames = new Set<string>();
const GOOD_NAMES_MAX = 1000;

function isName(name: string): boolean {
  if (goodNames.has(name)) return true;
  if (!NAME.test(name)) return false;
  if (goodNames.size < GOOD_NAMES_MAX) goodNames.add(name);
  return true;
}

/**
 * Whether a value keeps to what every JSON library writes alike: lower-case ASCII names, and whole
 * numbers only. Then `json.dumps(sort_keys=True)` of Python gives the same bytes as JCS.
 */
function isPortable(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isPortable);
  const members = value as JsonObject;
  for (const name of Object.keys(members)) {
    if (!isName(name) || !isPortable(members[name] as JsonValue)) return false;
  }
  return true;
}

/** A string of a form; nothing else is turned into one. */
const isText = (value: JsonValue | undefined, form: RegExp) =>
  typeof value === "string" && form.test(value);

function hasFrame(value: JsonObject): value is AuditRecord {
  return (
    value.schema === RECORD_SCHEMA &&
    typeof value.chain === "string" &&
    typeof value.seq === "number" &&
    value.seq >= 0 &&
    isText(value.prev_hash, HEX_HASH) &&
    typeof value.record_id === "string" &&
    TYPES.has(value.type) &&
    isText(value.occurred_at, ISO_MS) &&
    isText(value.recorded_at, ISO_MS)
  );
}

/**
 * Reads a parsed JSON value as a record.
 *
 * @example
 * readRecord({ schema: "audit-record/v1" }).reason; //=> "malformed"
 */
export function readRecord(value: JsonValue): Result<AuditRecord, "malformed"> {
  if (!isJsonObject(value) || !hasFrame(value)) {
    return refuse("malformed", "it does not have all members of a record");
  }
  if (!isPortable(value)) {
    return refuse("malformed", "it has a name or a number that records cannot have");
  }
  return ok(value);
}

/** What is hashed of a record: a leaf of RFC 6962, its canonical text behind a zero byte. */
const leafText = (text: string) => `\u0000${text}`;

/** UTF-8 needs at most three bytes for a UTF-16 unit: most texts need not be measured. */
function isTooLong(text: string): boolean {
  return 3 * text.length > RECORD_BYTES_MAX && utf8(text).length > RECORD_BYTES_MAX;
}

/** A record as its hash and signature see it. */
export interface SealedRecord {
  /** JCS text. */
  readonly text: string;
  /** Leaf of the tree and, in hex, `prev_hash` of the next record. */
  readonly leaf: Uint8Array;
  readonly hash: string;
}

/**
 * The canonical text of a record and its hash. What cannot be a record throws: whoever writes one
 * made it.
 *
 * @example
 * const frame = { schema: "audit-record/v1", chain: "a.example/audit/1", seq: 0 };
 * const times = { occurred_at: "2030-05-17T12:00:00.000Z", recorded_at: "2030-05-17T12:00:00.000Z" };
 * const record = { ...frame, ...times, prev_hash: NO_PREVIOUS_HASH, record_id: "r", type: "chain.genesis" };
 * (await sealRecord(record)).hash.length; //=> 64
 */
export async function sealRecord(
  record: AuditRecord,
  hash: HashBytes = sha256,
): Promise<SealedRecord> {
  const read = readRecord(record);
  if (!read.ok) throw new TypeError(`sealRecord: ${read.detail}`);
  const text = canonicalize(record);
  if (isTooLong(text)) throw new TypeError("sealRecord: the record is too long");
  const leaf = await hash(leafText(text));
  return { text, leaf, hash: toHex(leaf) };
}

/** What is signed of a record. Its first line keeps it apart from everything else the key signs. */
function signedText({ chain, seq }: AuditRecord, hash: string): Uint8Array {
  return utf8(`${RECORD_SCHEMA}\n${chain}\n${seq}\n${hash}\n`);
}

/**
 * The signature of a record, unpadded base64url.
 *
 * @example
 * const { signer } = await generateEd25519("k1");
 * const record = { chain: "a.example/audit/1", seq: 0 };
 * (await signRecord(record, "00".repeat(32), signer)).length; //=> 86
 */
export async function signRecord(
  record: AuditRecord,
  hash: string,
  signer: Signer,
): Promise<string> {
  return toBase64url(await signer.sign(signedText(record, hash)));
}

/**
 * Checks that a record has the hash and the signature it came with.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const frame = { schema: "audit-record/v1", chain: "a.example/audit/1", seq: 0 };
 * const times = { occurred_at: "2030-05-17T12:00:00.000Z", recorded_at: "2030-05-17T12:00:00.000Z" };
 * const record = { ...frame, ...times, prev_hash: NO_PREVIOUS_HASH, record_id: "r", type: "chain.genesis" };
 * const { hash } = await sealRecord(record);
 * const signature = await signRecord(record, hash, signer);
 * (await verifyRecord(record, hash, signature, jwk)).ok; //=> true
 * (await verifyRecord({ ...record, record_id: "s" }, hash, signature, jwk)).reason; //=> "hash_mismatch"
 */
export async function verifyRecord(
  value: JsonValue,
  hash: string,
  signature: string,
  key: PublicJwk,
  tools: { readonly hash?: HashBytes; readonly verify?: Verify } = {},
): Promise<Result<AuditRecord, RecordFault>> {
  const record = readRecord(value);
  if (!record.ok) return record;
  const leaf = await (tools.hash ?? sha256)(leafText(canonicalize(record.value)));
  if (toHex(leaf) !== hash) {
    return refuse("hash_mismatch", "the stored hash does not match the record");
  }
  const signed = fromBase64url(signature);
  const verify = tools.verify ?? verifyWithWebCrypto;
  if (signed === undefined || !(await verify(key, signedText(record.value, hash), signed))) {
    return refuse("signature_invalid", "the signature of the record is not valid");
  }
  return record;
}
