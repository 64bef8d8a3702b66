import { verifyReceipt } from "../audit/receipt.js";
import { readRecord, verifyRecord } from "../audit/record.js";
import { type HashBytes, leafHash } from "../audit/tree.js";
import { fromHex, toHex } from "../bytes.js";
import { canonicalBytes } from "../json/canonicalize.js";
import type { JsonObject } from "../json/value.js";
import type { Ed25519Jwk } from "../keys/jwk.js";
import type { Verify } from "../keys/signer.js";
import { type Check, Checklist } from "./checklist.js";

/** A record as the service shows it to whoever may read it, with its proof. */
export interface ShownRecord {
  readonly entry: {
    readonly record: JsonObject;
    readonly hash: string;
    readonly sig: string;
    readonly key_id: string;
  };
  readonly proof: {
    readonly index: number;
    /** In hex, from the leaf up. */
    readonly hashes: readonly string[];
    readonly checkpoint: string;
  };
}

type Keys = ReadonlyMap<string, Ed25519Jwk>;

interface Tools {
  readonly hash?: HashBytes;
  readonly verify?: Verify;
}

/** How many records the log has that the proof is of; or why there is no proof, as a sentence. */
async function inclusionOf(
  { entry, proof }: ShownRecord,
  keys: Keys,
  tools: Tools,
): Promise<{ readonly size: number; readonly origin: string } | string> {
  const leaf = fromHex(entry.hash);
  const hashes = proof.hashes.map(fromHex);
  const record = readRecord(entry.record);
  const formed = record.ok && leaf !== undefined && !hashes.includes(undefined);
  if (!formed || !Number.isSafeInteger(proof.index)) return "it is not a record with a proof";
  const receipt = { ...proof, hashes: hashes as Uint8Array[] };
  const proven = await verifyReceipt(receipt, leaf, keys.values(), tools);
  if (!proven.ok) return proven.detail;
  const { origin, size } = proven.value;
  // A proof of this hash at another place, or in another log, is not one of what the record says.
  const here = record.value.chain === origin && record.value.seq === proof.index;
  return here
    ? { origin, size }
    : "the proof is for a different position from the one in the record";
}

/**
 * Checks that a record is what was signed, and stands in the log that a signed checkpoint speaks of.
 * Whether it is the record somebody asked for, they compare themselves.
 *
 * @example
 * const entry = { record: {}, hash: "", sig: "", key_id: "k1" };
 * const proof = { index: 0, hashes: [], checkpoint: "" };
 * (await verifyShownRecord({ entry, proof }, new Map())).map(({ ok }) => ok); //=> [false, false, false]
 */
export async function verifyShownRecord(
  shown: ShownRecord,
  keys: Keys,
  tools: Tools = {},
): Promise<readonly Check[]> {
  const list = new Checklist();
  const { record, hash, sig, key_id } = shown.entry;
  list.note(
    "hash",
    toHex(await leafHash(canonicalBytes(record), tools.hash)) === hash,
    "the stored hash matches the record",
    "the stored hash does not match the record",
  );
  const key = keys.get(key_id);
  const signed = key && (await verifyRecord(record, hash, sig, key, tools));
  const fault = signed?.ok === false ? signed.detail : `its key ${key_id} is not in the key set`;
  list.note("signature", signed?.ok === true, `by the key ${key_id}`, fault);
  const place = await inclusionOf(shown, keys, tools);
  if (typeof place === "string") list.note("inclusion", false, "", place);
  else {
    const text = `record ${shown.proof.index} of ${place.size} in ${place.origin}`;
    list.note("inclusion", true, text, "");
  }
  return list.verdict("record").checks;
}
