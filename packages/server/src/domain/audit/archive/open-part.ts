import { appendLeaf, type Frontier, fromHex, toHex } from "@gatehouse/protocol";
import type { StoredRecord } from "../log.js";
import { sha256Now } from "../log-writer.js";
import type { Leaf } from "../records/store.js";
import { type ArchivePart, ArchiveUnavailableError } from "./part.js";

const ENTRY = /\{"hash":"[0-9a-f]{64}","key_id":"/g;
const RECORD = '"record":';
const SIGNATURE = ',"sig":"';
const BEHIND_ENTRIES = '],"schema":"';

/**
 * The records of a part's file, each parsed when it is needed. Entries are found by how they begin,
 * and the hash of each record proves that it was found completely. Archiving reads every record
 * back this way before any is deleted.
 */
export class OpenPart {
  readonly part: ArchivePart;
  private readonly text: string;
  /** The offsets at which entries begin, and the end of the last one. */
  private readonly bounds: readonly number[];
  private leaves: readonly Leaf[] | undefined;

  constructor(part: ArchivePart, text: string) {
    this.part = part;
    this.text = text;
    const begins = [...text.matchAll(ENTRY)].map(({ index }) => index);
    if (begins.length !== part.count) throw this.damaged();
    // A comma separates entries; the closing bracket follows the last one.
    this.bounds = [...begins, text.lastIndexOf(BEHIND_ENTRIES) + 1];
  }

  private damaged(): ArchiveUnavailableError {
    return new ArchiveUnavailableError(this.part, "is damaged: its records cannot be found");
  }

  record(seq: number): StoredRecord {
    const at = seq - this.part.firstSeq;
    const [from, to] = [this.bounds[at] as number, (this.bounds[at + 1] as number) - 1];
    const entry = this.text.slice(from, to);
    const text = entry.slice(entry.indexOf(RECORD) + RECORD.length, entry.lastIndexOf(SIGNATURE));
    const hash = entry.slice('{"hash":"'.length, '{"hash":"'.length + 64);
    if (toHex(sha256Now(`\u0000${text}`) as Uint8Array) !== hash) throw this.damaged();
    const { key_id, sig, record } = JSON.parse(entry);
    if (record.seq !== seq || record.chain !== this.part.chain) throw this.damaged();
    const { chain, record_id, type, recorded_at } = record;
    const recordedAt = Date.parse(recorded_at);
    return { chain, seq, type, record_id, recorded_at: recordedAt, text, hash, sig, key_id };
  }

  /** The leaf at a position and the subtrees it completed, computed from the tree before the part. */
  async leaf(seq: number, before: Frontier): Promise<Leaf> {
    this.leaves ??= await this.grow(before);
    return this.leaves[seq - this.part.firstSeq] as Leaf;
  }

  private async grow(before: Frontier): Promise<readonly Leaf[]> {
    const leaves: Leaf[] = [];
    let frontier = before;
    for (let i = 0; i < this.part.count; i++) {
      const { hash } = this.record(this.part.firstSeq + i);
      const grown = await appendLeaf(frontier, fromHex(hash) as Uint8Array, sha256Now);
      leaves.push({ hash, closed: grown.closed.map(toHex) });
      frontier = grown;
    }
    const same = frontier.hashes.map(toHex).join() === this.part.frontier.join();
    if (!same) throw new ArchiveUnavailableError(this.part, "belongs to a different log");
    return leaves;
  }
}
