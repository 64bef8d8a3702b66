import {
  type Check,
  fromHex,
  receiptText,
  type ShownRecord,
  verifyShownRecord,
} from "@gatehouse/protocol";
import type { Api } from "../api/client.js";
import { KEY_SETS, loadKeys } from "./keys.js";

/** A file that proves the record to whoever has it, without asking here. */
export function receiptOf({ proof }: Api["ProvenRecord"]): string {
  const { index, checkpoint } = proof;
  const hashes = proof.hashes.map((hash) => fromHex(hash) ?? new Uint8Array());
  return receiptText({ index, checkpoint, hashes });
}

/** What was asked for: one record, of a log of this site. */
interface Asked {
  readonly recordId: string;
  /** The names of the site's logs. */
  readonly chains: readonly string[];
}

/** What this browser finds when it checks a record itself, and asks nobody but the key set. */
export async function proveRecord(
  proven: Api["ProvenRecord"],
  { recordId, chains }: Asked,
): Promise<readonly Check[]> {
  const { record_id, chain } = proven.entry.record;
  const ok = record_id === recordId && chains.includes(String(chain));
  const text = ok
    ? "this is the requested record, and it belongs to this site's log"
    : "this is a different record, or it belongs to another log";
  const keys = await loadKeys(KEY_SETS.audit);
  return [{ id: "record", ok, text }, ...(await verifyShownRecord(proven as ShownRecord, keys))];
}
