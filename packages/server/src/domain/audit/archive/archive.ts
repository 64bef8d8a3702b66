import { fromHex } from "@gatehouse/protocol";
import type { Queries } from "../../../infra/db/database.js";
import type { Ids } from "../../../infra/ids.js";
import type { StoredRecord } from "../log.js";
import { ArchiveFolder } from "./folder.js";
import { OpenPart } from "./open-part.js";
import { type ArchivePart, ArchiveUnavailableError, endOf, KEPT_LEVEL_MIN } from "./part.js";
import { keptNode, partAt, placesOfId } from "./store.js";

/** Bytes of archive files cached in memory, so that reading record by record reads a file once. */
const OPEN_BYTES_MAX = 16 * 1024 * 1024;
/** Files waiting to be read. One is read at a time: each may be as long as a part can be. */
const WAITING_MAX = 64;

/** The index of a subtree among the complete subtrees of a tree; undefined if it is not one of them. */
function frontierPlace(size: number, level: number, index: number): number | undefined {
  const width = 2 ** level;
  const isOne = Math.floor(size / width) % 2 === 1;
  if (!isOne || index !== Math.floor(size / (2 * width)) * 2) return undefined;
  // Larger subtrees come first: one for each binary digit above its own.
  return Math.floor(size / (2 * width))
    .toString(2)
    .replaceAll("0", "").length;
}

/** Reads archived days: their records, and the tree nodes that belong to them. */
export class Archive {
  readonly folder: ArchiveFolder;
  /** Last used last. */
  private readonly opened = new Map<string, OpenPart>();
  private readonly opening = new Map<string, Promise<OpenPart>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(path: string, ids: Pick<Ids, "uuid">) {
    this.folder = new ArchiveFolder(path, ids);
  }

  /** A part and its records, from memory or from its file. The file must match its digest. */
  async open(part: ArchivePart): Promise<OpenPart> {
    const { sha256 } = part;
    const known = this.opened.get(sha256);
    if (known !== undefined) {
      this.opened.delete(sha256);
      this.opened.set(sha256, known);
      return known;
    }
    const under = this.opening.get(sha256);
    if (under !== undefined) return under;
    if (this.opening.size >= WAITING_MAX) {
      throw new ArchiveUnavailableError(part, "waits behind too many others");
    }
    const load = this.last.then(() => this.load(part));
    this.last = load.catch(() => undefined);
    this.opening.set(sha256, load);
    return load.finally(() => this.opening.delete(sha256));
  }

  private async load(part: ArchivePart): Promise<OpenPart> {
    const open = new OpenPart(part, (await this.folder.read(part)).toString("utf8"));
    this.opened.set(part.sha256, open);
    let bytes = [...this.opened.values()].reduce((sum, one) => sum + one.part.bytes, 0);
    for (const [digest, { part: oldest }] of this.opened) {
      if (bytes <= OPEN_BYTES_MAX) break;
      this.opened.delete(digest);
      bytes -= oldest.bytes;
    }
    return open;
  }

  /** Archived records of a log from one position to another, or to the end of the archive. */
  async records(db: Queries, chain: string, from: number, to: number): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    for (let seq = from; seq < to; ) {
      const part = await partAt(db, chain, seq);
      if (part === undefined) break;
      const open = await this.open(part);
      for (; seq < Math.min(to, endOf(part)); seq++) records.push(open.record(seq));
    }
    return records;
  }

  /** An archived record of a site by its id. */
  async recordById(
    db: Queries,
    siteKeyHash: string,
    recordId: string,
  ): Promise<StoredRecord | undefined> {
    for (const { part, seq } of await placesOfId(db, siteKeyHash, recordId)) {
      const record = (await this.open(part)).record(seq);
      if (record.record_id === recordId) return record;
    }
    return undefined;
  }

  /**
   * The root of a complete subtree whose last leaf is archived; undefined if it is not archived. Proofs
   * of later records need only the subtrees of the tree that ends with a part, which are in the
   * database. Only proofs of archived records read files, two or three each.
   */
  async node(
    db: Queries,
    chain: string,
    level: number,
    index: number,
  ): Promise<string | undefined> {
    const seq = (index + 1) * 2 ** level - 1;
    const part = await partAt(db, chain, seq);
    if (part === undefined) return undefined;
    const place = frontierPlace(endOf(part), level, index);
    if (place !== undefined) return part.frontier[place];
    const kept = level < KEPT_LEVEL_MIN ? undefined : await keptNode(db, chain, level, index);
    if (kept !== undefined) return kept;
    const before = part.firstSeq === 0 ? undefined : await partAt(db, chain, part.firstSeq - 1);
    const hashes = (before?.frontier ?? []).map((hash) => fromHex(hash) as Uint8Array);
    const { hash, closed } = await (await this.open(part)).leaf(seq, {
      size: part.firstSeq,
      hashes,
    });
    return level === 0 ? hash : closed[level - 1];
  }
}
