import {
  type Check,
  canonicalBytes,
  fromHex,
  type JsonValue,
  leafHash,
  receiptText,
  toHex,
  verifyReceipt,
  verifyRecord,
} from "@gatehouse/protocol";
import type { Api } from "../api/client.js";
import { KEY_SETS, loadKeys } from "./keys.js";

const hashesOf = ({ proof }: Api["ProvenRecord"]) =>
  proof.hashes.map((hash) => fromHex(hash) ?? new Uint8Array());

/** A file that proves the record to whoever has it, without asking here. */
export function receiptOf(proven: Api["ProvenRecord"]): string {
  const { index, checkpoint } = proven.proof;
  return receiptText({ index, checkpoint, hashes: hashesOf(proven) });
}

/** What was asked for: one record, of a log of this site. */
interface Asked {
  readonly recordId: string;
  /** The names of the site's logs. */
  readonly chains: readonly string[];
}

/** What this browser finds when it checks a record itself, and asks nobody but the key set. */
export async function proveRecord(proven: Api["ProvenRecord"], asked: Asked): Promise<Check[]> {
  const { chain, entry, proof } = proven;
  const keys = await loadKeys(KEY_SETS.audit);
  const key = keys.get(entry.key_id);
  const check = (id: string, ok: boolean, good: string, bad: string): Check => ({
    id,
    ok,
    text: ok ? good : bad,
  });
  const known = check(
    "key",
    key !== undefined,
    `the key set has its key ${entry.key_id}`,
    "its key is not in the key set",
  );
  const { record_id, chain: named, seq } = entry.record;
  const wanted = check(
    "record",
    record_id === asked.recordId && named === chain && asked.chains.includes(chain),
    "it is the record asked for, of a log of this site",
    "it is another record than the one asked for, or of another log",
  );
  if (key === undefined || !Number.isSafeInteger(proof.index)) return [known, wanted];
  const record = entry.record as JsonValue;
  const held = await verifyRecord(record, entry.hash, entry.sig, key);
  const leaf = await leafHash(canonicalBytes(record as never));
  const { index, checkpoint } = proof;
  const receipt = { index, checkpoint, hashes: hashesOf(proven) };
  const included = await verifyReceipt(receipt, leaf, keys.values());
  const ofLog = included.ok && included.value.origin === chain && seq === proof.index;
  return [
    known,
    wanted,
    check(
      "hash",
      toHex(leaf) === entry.hash,
      "the record has the hash it came with",
      "the record does not have the hash it came with",
    ),
    check("signature", held.ok, "its signature covers all of it", "its signature does not hold"),
    check(
      "inclusion",
      ofLog,
      included.ok
        ? `it is record ${proof.index} of ${included.value.size} under a signed checkpoint of ${chain}`
        : "",
      "the checkpoint does not show that it is in the log",
    ),
  ];
}
