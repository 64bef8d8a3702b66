import { sha256, toHex, utf8 } from "../bytes.js";
import { canonicalize } from "../json/canonicalize.js";
import type { JsonObject, JsonValue } from "../json/value.js";
import type { Signer, Verify } from "../keys/signer.js";
import type { Result } from "../result.js";
import { type NoteFault, type NoteKey, signNote, type VerifiedNote, verifyNote } from "./note.js";
import type { AuditRecord } from "./record.js";

export const BUNDLE_SCHEMA = "audit-bundle/v1";
/** Records in one part of an export. */
export const PART_RECORDS_MAX = 1000;

/** A record with what proves it. */
export interface BundleEntry {
  readonly record: AuditRecord;
  /** Hex; leaf of the tree, and what the next record names as the one before it. */
  readonly hash: string;
  /** Unpadded base64url. */
  readonly sig: string;
  readonly key_id: string;
}

/** A version of the owner's rules that a record was decided by. */
export interface PolicyVersion {
  readonly version: number;
  /** Hex SHA-256 of the document's JCS text. */
  readonly digest: string;
  readonly document: JsonObject;
}

/** What one part of an export says of itself, besides its records. */
export interface BundleHead {
  readonly chain: string;
  /** UTC day of `recorded_at`. */
  readonly day: string;
  /** False while the day runs: there may be later records. */
  readonly closed: boolean;
  readonly part: number;
  readonly parts: number;
  /** Of the whole day, all parts together. */
  readonly day_first_seq: number;
  readonly day_count: number;
  /** Of this part. */
  readonly first_seq: number;
  readonly count: number;
  /** Hex SHA-256 of the part before it, as its signature has it; null in the first. */
  readonly prev_part_sha256: string | null;
  /** The tree before the first record: roots of its complete subtrees, largest first, in hex. */
  readonly before: { readonly size: number; readonly frontier: readonly string[] };
  /** Signed checkpoints at `first_seq`, and behind the last record. */
  readonly checkpoint_before: string;
  readonly checkpoint_after: string;
  /** Every version the records name. */
  readonly policies: readonly PolicyVersion[];
}

/** One part of an export. */
export interface Bundle extends BundleHead {
  readonly schema: typeof BUNDLE_SCHEMA;
  readonly records: readonly BundleEntry[];
}

/** A record as it is stored: its canonical text and what proves it. */
export interface StoredEntry {
  readonly text: string;
  readonly hash: string;
  readonly sig: string;
  readonly key_id: string;
}

/**
 * The canonical text of an entry, around the record's own, which is never parsed on the way out.
 *
 * @example
 * entryText({ text: "{}", hash: "00", sig: "s", key_id: "k" }); //=> '{"hash":"00","key_id":"k","record":{},"sig":"s"}'
 */
export function entryText({ text, hash, sig, key_id }: StoredEntry): string {
  const [h, k, s] = [hash, key_id, sig].map((value) => JSON.stringify(value));
  return `{"hash":${h},"key_id":${k},"record":${text},"sig":${s}}`;
}

/**
 * The canonical text of a bundle in pieces: what stands before its records, and what behind them.
 * Records are written between, divided by commas, so that no part has to be held whole.
 *
 * @example
 * const head = { chain: "a.example/audit/1", day: "2030-05-17", closed: true, part: 1, parts: 1 };
 * bundleFrame(head).closing; //=> '],"schema":"audit-bundle/v1"}'
 */
export function bundleFrame(head: BundleHead): {
  readonly opening: string;
  readonly closing: string;
} {
  const whole = canonicalize({
    ...head,
    schema: BUNDLE_SCHEMA,
    records: [],
  } as unknown as JsonValue);
  // Inside strings every quote is escaped, so the last of these is the member itself.
  const at = whole.lastIndexOf('"records":[]') + '"records":['.length;
  return { opening: whole.slice(0, at), closing: whole.slice(at) };
}

const OTHER_CONTENTS = "it is for different contents, so records are missing or were changed";

function signedText(chain: string, digest: string): string {
  return `${BUNDLE_SCHEMA}\n${chain}\n${digest}\n`;
}

/**
 * Hex SHA-256 of a bundle's JCS text: what its signature covers and the next part names.
 *
 * @example
 * (await bundleDigest({ chain: "a.example/audit/1" })).length; //=> 64
 */
export async function bundleDigest(bundle: JsonObject): Promise<string> {
  return toHex(await sha256(utf8(canonicalize(bundle))));
}

/**
 * Signs a bundle by its digest. The note's first line keeps it apart from checkpoints.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const key = { name: "a.example/audit/1", publicKey: ed25519Bytes(jwk) };
 * (await signBundle("00".repeat(32), key, signer)).split("\n")[0]; //=> "audit-bundle/v1"
 */
export function signBundle(digest: string, key: NoteKey, signer: Signer): Promise<string> {
  return signNote(signedText(key.name, digest), key, signer);
}

/**
 * Checks the signature of a bundle with this digest.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const key = { name: "a.example/audit/1", publicKey: ed25519Bytes(jwk) };
 * const digest = "00".repeat(32);
 * const note = await signBundle(digest, key, signer);
 * (await verifyBundleSignature(note, { chain: key.name, digest }, [key])).ok; //=> true
 * (await verifyBundleSignature(note, { chain: key.name, digest: "11".repeat(32) }, [key])).reason; //=> "malformed"
 */
export async function verifyBundleSignature(
  note: string,
  { chain, digest }: { readonly chain: string; readonly digest: string },
  keys: readonly NoteKey[],
  verify?: Verify,
): Promise<Result<VerifiedNote, NoteFault>> {
  const verified = await verifyNote(note, keys, verify);
  if (!verified.ok || verified.value.text === signedText(chain, digest)) return verified;
  return { ok: false, reason: "malformed", detail: OTHER_CONTENTS };
}
