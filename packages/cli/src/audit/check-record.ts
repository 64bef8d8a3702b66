import {
  canonicalBytes,
  type Ed25519Jwk,
  fromHex,
  type JsonObject,
  leafHash,
  readRecord,
  toHex,
  verifyReceipt,
  verifyRecord,
} from "@gatehouse/protocol";
import { hashFast, verifyFast } from "./trusted-keys.js";

/** A record as the service shows and proves it. */
export interface ProvenRecordBody {
  readonly chain: string;
  readonly entry: {
    readonly record: JsonObject;
    readonly hash: string;
    readonly sig: string;
    readonly key_id: string;
  };
  readonly proof: {
    readonly index: number;
    readonly hashes: readonly string[];
    readonly checkpoint: string;
  };
}

/** One thing that must hold of a record, and what was found. */
export interface RecordCheck {
  readonly about: "hash" | "signature" | "inclusion";
  readonly holds: boolean;
  readonly text: string;
}

type Keys = ReadonlyMap<string, Ed25519Jwk>;
const tools = { hash: hashFast, verify: verifyFast };

async function checkHash({ record, hash }: ProvenRecordBody["entry"]): Promise<RecordCheck> {
  const holds = toHex(await leafHash(canonicalBytes(record), hashFast)) === hash;
  const text = holds
    ? "the record has the hash it came with"
    : "the record does not have the hash it came with";
  return { about: "hash", holds, text };
}

async function checkSignature(
  { record, hash, sig, key_id }: ProvenRecordBody["entry"],
  keys: Keys,
): Promise<RecordCheck> {
  const about = "signature";
  const key = keys.get(key_id);
  if (key === undefined) {
    return { about, holds: false, text: `its key ${key_id} is not in the key set` };
  }
  const read = await verifyRecord(record, hash, sig, key, tools);
  return { about, holds: read.ok, text: read.ok ? `by the key ${key_id}` : read.detail };
}

async function checkInclusion(
  { entry, proof }: ProvenRecordBody,
  keys: Keys,
): Promise<RecordCheck> {
  const no = (text: string): RecordCheck => ({ about: "inclusion", holds: false, text });
  const leaf = fromHex(entry.hash);
  const hashes = proof.hashes.map(fromHex);
  const record = readRecord(entry.record);
  if (!record.ok || leaf === undefined || hashes.includes(undefined)) {
    return no("it is no record with a proof");
  }
  const receipt = { ...proof, hashes: hashes as Uint8Array[] };
  const proven = await verifyReceipt(receipt, leaf, keys.values(), tools);
  if (!proven.ok) return no(proven.detail);
  const { origin, size } = proven.value;
  // A proof of this hash at another place, or in another log, is not one of what the record says.
  if (record.value.chain !== origin || record.value.seq !== proof.index) {
    return no("the proof is of another place than the record names");
  }
  return { about: "inclusion", holds: true, text: `record ${proof.index} of ${size} in ${origin}` };
}

/** Whether a record is what was signed, and stands in the log that a signed checkpoint speaks of. */
export async function checkRecord(
  shown: ProvenRecordBody,
  keys: Keys,
): Promise<readonly RecordCheck[]> {
  return [
    await checkHash(shown.entry),
    await checkSignature(shown.entry, keys),
    await checkInclusion(shown, keys),
  ];
}
