import { type Frontier, fromHex, type NodeAt } from "@gatehouse/protocol";
import type { Queries } from "../../infra/db/database.js";
import type { Archive } from "./archive/archive.js";
import { type ArchivePart, endOf } from "./archive/part.js";
import { archivedEnd, partsBefore } from "./archive/store.js";
import { dayOf, type StoredRecord } from "./log.js";
import {
  leafAt,
  matches,
  type RecordFilter,
  recordById,
  recordedAt,
  recordsBefore,
  recordsBetween,
  recordTexts,
} from "./records/store.js";

/** Archived parts considered for one page of records of a type, and those opened. */
const PARTS_LOOKED_AT_MAX = 200;
const PARTS_OPENED_MAX = 8;

/** Records of the database that one page of an actor looks through. No index has them. */
const RECORDS_LOOKED_AT_MAX = 20_000;

export interface PageQuery extends RecordFilter {
  readonly before: number;
  readonly limit: number;
}

export interface RecordPage {
  readonly records: readonly StoredRecord[];
  /** Where the next older page begins; undefined at the beginning of the log. */
  readonly next: number | undefined;
}

/**
 * Reads logs from the database first and then from the archive. In this order no record is missed
 * while a day is archived, because rows are deleted only after the archive is noted. Never used
 * inside a commit, because a slow archive must not delay writing.
 */
export class LogReader {
  private readonly db: Queries;
  private readonly archive: Archive;

  constructor(db: Queries, archive: Archive) {
    this.db = db;
    this.archive = archive;
  }

  /** Reads the nodes of the tree. Each is in the row of its last leaf. */
  nodesOf(chain: string): NodeAt {
    return async (level, index) => {
      const seq = (index + 1) * 2 ** level - 1;
      const leaf = await leafAt(this.db, chain, seq);
      const node =
        leaf === undefined
          ? await this.archive.node(this.db, chain, level, index)
          : [leaf.hash, ...leaf.closed][level];
      if (node === undefined) throw new Error(`the tree of ${chain} lacks a node at ${seq}`);
      return fromHex(node) as Uint8Array;
    };
  }

  /** The tree at an earlier size: one node for each 1 among the binary digits of the size. */
  async frontierAt(chain: string, size: number): Promise<Frontier> {
    const nodeAt = this.nodesOf(chain);
    const hashes: Uint8Array[] = [];
    let begun = 0;
    for (let level = Math.floor(Math.log2(Math.max(size, 1))); level >= 0; level--) {
      const width = 2 ** level;
      if (size - begun < width) continue;
      hashes.push(await nodeAt(level, begun / width));
      begun += width;
    }
    return { size, hashes };
  }

  /** Records of a log from one position up to, and excluding, another. */
  async recordsBetween(chain: string, from: number, to: number): Promise<StoredRecord[]> {
    const rows = await recordsBetween(this.db, chain, from, to);
    const kept = rows[0]?.seq ?? to;
    if (kept <= from) return rows;
    return [...(await this.archive.records(this.db, chain, from, kept)), ...rows];
  }

  /** A record of a site by its id. */
  async recordById(siteKeyHash: string, recordId: string): Promise<StoredRecord | undefined> {
    return (
      (await recordById(this.db, siteKeyHash, recordId)) ??
      (await this.archive.recordById(this.db, siteKeyHash, recordId))
    );
  }

  /** The texts of a site's records by id. */
  async recordTexts(
    siteKeyHash: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const texts = new Map(await recordTexts(this.db, siteKeyHash, ids));
    for (const id of ids) {
      if (texts.has(id)) continue;
      const record = await this.archive.recordById(this.db, siteKeyHash, id);
      if (record !== undefined) texts.set(id, record.text);
    }
    return texts;
  }

  /** The first record between two positions that was written at a time or later. Times never go back. */
  private async firstAt(chain: string, at: number, [from, to]: readonly [number, number]) {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const time = await recordedAt(this.db, chain, middle);
      if (time !== undefined && time < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A page of a log, newest first, of the records that match. It can have fewer, and a next page. */
  async page(chain: string, query: PageQuery): Promise<RecordPage> {
    const { actor, since, until, limit } = query;
    const archived = await archivedEnd(this.db, chain);
    const inside = [archived, Math.max(archived, query.before)] as const;
    const end = until === null ? query.before : await this.firstAt(chain, until, inside);
    const before = Math.min(query.before, end);
    const first = since === null ? archived : await this.firstAt(chain, since, inside);
    const from = actor === null ? first : Math.max(first, before - RECORDS_LOOKED_AT_MAX);
    const wanted = { ...query, limit: limit + 1 };
    const rows = await recordsBefore(this.db, chain, [from, before], wanted);
    // A day may have been archived and its rows deleted in the meantime, so this reads again.
    if ((await archivedEnd(this.db, chain)) !== archived) return this.page(chain, query);
    if (rows.length <= limit && from > first) return { records: rows, next: from };
    const isEnough = rows.length > limit || first > archived;
    const older = { ...query, before: Math.min(before, archived), limit: limit + 1 - rows.length };
    const { records, next } = isEnough
      ? { records: [], next: undefined }
      : await this.archived(chain, older);
    const all = [...rows, ...records];
    if (all.length <= limit) return { records: all, next };
    return { records: all.slice(0, limit), next: all[limit - 1]?.seq };
  }

  private async archived(chain: string, query: PageQuery): Promise<RecordPage> {
    const { before, type, since, until, limit } = query;
    const records: StoredRecord[] = [];
    const holds = ({ types, day }: ArchivePart) =>
      (type === null || Object.hasOwn(types, type)) &&
      (since === null || day >= dayOf(since)) &&
      (until === null || day <= dayOf(until));
    const parts = await partsBefore(this.db, chain, before, PARTS_LOOKED_AT_MAX);
    let opened = 0;
    for (const part of parts.filter(holds)) {
      if (opened === PARTS_OPENED_MAX) return { records, next: endOf(part) };
      opened++;
      const open = await this.archive.open(part);
      for (let seq = Math.min(before, endOf(part)) - 1; seq >= part.firstSeq; seq--) {
        const record = open.record(seq);
        if (matches(record, query)) records.push(record);
        if (records.length === limit) return { records, next: undefined };
      }
    }
    const last = parts.length < PARTS_LOOKED_AT_MAX ? undefined : parts.at(-1);
    const isOver = last === undefined || (since !== null && last.day < dayOf(since));
    return { records, next: isOver || last.firstSeq === 0 ? undefined : last.firstSeq };
  }
}
