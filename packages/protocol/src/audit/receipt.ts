import { fromBase64, toBase64 } from "../base64.js";
import type { Ed25519Jwk } from "../keys/jwk.js";
import type { Verify } from "../keys/signer.js";
import { ok, type Result, refuse } from "../result.js";
import { type Checkpoint, verifyCheckpoint } from "./checkpoint.js";
import type { NoteFault } from "./note.js";
import { type HashBytes, PROOF_HASHES_MAX, type ProofFault, verifyInclusion } from "./tree.js";

const FIRST_LINE = "c2sp.org/tlog-proof@v1";

/** That one record is in the log: its place, the way to the root, and the root, signed. */
export interface InclusionReceipt {
  readonly index: number;
  /** From the leaf up. */
  readonly hashes: readonly Uint8Array[];
  /** Signed checkpoint of a tree that holds the record. */
  readonly checkpoint: string;
}

/**
 * A receipt as text (C2SP tlog-proof), usually kept in a file `.tlog-proof`.
 *
 * @example
 * receiptText({ index: 0, hashes: [], checkpoint: "note" }).split("\n")[1]; //=> "index 0"
 */
export function receiptText({ index, hashes, checkpoint }: InclusionReceipt): string {
  return [FIRST_LINE, `index ${index}`, ...hashes.map(toBase64), "", checkpoint].join("\n");
}

/**
 * Reads a receipt. A line of extra data is allowed by the format and passed over: nothing vouches
 * for it.
 *
 * @example
 * readReceipt("hello").reason; //=> "malformed"
 */
export function readReceipt(text: string): Result<InclusionReceipt, "malformed"> {
  const end = text.indexOf("\n\n");
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split("\n");
  if (first !== FIRST_LINE) return refuse("malformed", "not a log proof of version 1");
  if (lines[0]?.startsWith("extra ") === true) lines.shift();
  const [, digits] = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? "") ?? [];
  if (digits === undefined || lines.length > PROOF_HASHES_MAX) {
    return refuse("malformed", "it has no index, or too many hashes");
  }
  const hashes = lines.map(fromBase64);
  if (hashes.some((hash) => hash === undefined)) return refuse("malformed", "a hash is not base64");
  const checkpoint = text.slice(end + 2);
  return ok(Object.freeze({ index: Number(digits), hashes: hashes as Uint8Array[], checkpoint }));
}

/** Why a receipt proves nothing. */
export type ReceiptFault = "malformed" | NoteFault | ProofFault;

/**
 * Checks that a record, by its hash, is in the log that a checkpoint of a known key speaks of.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const key = { name: "a.example/audit/1", publicKey: ed25519Bytes(jwk) };
 * const leaf = await leafHash(utf8("a"));
 * const checkpoint = await signNote(checkpointText({ origin: key.name, size: 1, root: leaf }), key, signer);
 * (await verifyReceipt({ index: 0, hashes: [], checkpoint }, leaf, [jwk])).value.size; //=> 1
 */
export async function verifyReceipt(
  { index, hashes, checkpoint }: InclusionReceipt,
  recordHash: Uint8Array,
  keys: Iterable<Ed25519Jwk>,
  tools: { readonly hash?: HashBytes; readonly verify?: Verify } = {},
): Promise<Result<Checkpoint, ReceiptFault>> {
  const read = await verifyCheckpoint(checkpoint, keys, tools.verify);
  if (!read.ok) return read;
  const { size, root } = read.value;
  const proof = { index: BigInt(index), size: BigInt(size), hashes };
  const included = await verifyInclusion(proof, recordHash, root, tools.hash);
  return included.ok ? read : included;
}
