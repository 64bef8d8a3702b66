import type { NewRow, Queries, Transaction } from "../../../infra/db/database.js";
import { hashesIn } from "../log.js";
import type { ArchivedDay, ArchivePart } from "./part.js";

interface PartRow {
  chain: string;
  first_seq: number;
  count: number;
  day: string;
  part: number;
  parts: number;
  file: string;
  bytes: number;
  sha256: string;
  frontier: string;
  types: string;
  node: string;
  archived_at: number;
}

const COLUMNS =
  "chain, first_seq, count, day, part, parts, file, bytes, sha256, frontier, types, node, archived_at";

function partOf(row: PartRow): ArchivePart {
  return Object.freeze({
    chain: row.chain,
    firstSeq: row.first_seq,
    count: row.count,
    day: row.day,
    part: row.part,
    parts: row.parts,
    file: row.file,
    bytes: row.bytes,
    sha256: row.sha256,
    frontier: hashesIn(row.frontier),
    types: JSON.parse(row.types) as Record<string, number>,
    node: row.node,
    archivedAt: row.archived_at,
  });
}

/** Characters kept of the end of a record's id, which is random. */
const ID_END_CHARS = 8;

/** A part that is being written to the database, with the ids of its records in order. */
export interface NewPart extends Omit<ArchivePart, "archivedAt"> {
  readonly recordIds: readonly string[];
}

export async function insertPart(tx: Transaction, part: NewPart, now: number): Promise<void> {
  const sorted = [...part.recordIds].sort();
  const row: NewRow = {
    chain: part.chain,
    first_seq: part.firstSeq,
    count: part.count,
    day: part.day,
    part: part.part,
    parts: part.parts,
    file: part.file,
    bytes: part.bytes,
    sha256: part.sha256,
    frontier: part.frontier.join(""),
    types: JSON.stringify(part.types),
    min_id: sorted[0] as string,
    max_id: sorted.at(-1) as string,
    node: part.node,
    archived_at: now,
    id_ends: part.recordIds.map((id) => id.slice(-ID_END_CHARS)).join(""),
  };
  await tx.insert("audit_archives", [row]);
}

/** A node of a log's tree that stays in the database. */
export interface KeptNode {
  readonly chain: string;
  readonly level: number;
  readonly place: number;
  readonly hash: string;
}

export async function insertNodes(tx: Transaction, nodes: readonly KeptNode[]): Promise<void> {
  const rows = nodes.map(({ chain, level, place, hash }) => ({ chain, level, place, hash }));
  if (rows.length > 0) await tx.insert("audit_archive_nodes", rows);
}

export async function keptNode(
  db: Queries,
  chain: string,
  level: number,
  place: number,
): Promise<string | undefined> {
  const row = await db.get<{ hash: string }>(
    "SELECT hash FROM audit_archive_nodes WHERE chain = ? AND level = ? AND place = ?",
    chain,
    level,
    place,
  );
  return row?.hash;
}

/** The number of archived records of a log. They are always the first ones. */
export async function archivedEnd(db: Queries, chain: string): Promise<number> {
  const row = await db.get<{ size: number }>(
    `SELECT first_seq + count AS size FROM audit_archives WHERE chain = ?
     ORDER BY first_seq DESC LIMIT 1`,
    chain,
  );
  return row?.size ?? 0;
}

/** The number of archived records of a log from days before this one. */
export async function archivedBeforeDay(db: Queries, chain: string, day: string): Promise<number> {
  const row = await db.get<{ size: number }>(
    `SELECT first_seq + count AS size FROM audit_archives WHERE chain = ? AND day < ?
     ORDER BY day DESC, part DESC LIMIT 1`,
    chain,
    day,
  );
  return row?.size ?? 0;
}

/** The part with the record at a position. */
export async function partAt(
  db: Queries,
  chain: string,
  seq: number,
): Promise<ArchivePart | undefined> {
  const row = await db.get<PartRow>(
    `SELECT ${COLUMNS} FROM audit_archives WHERE chain = ? AND first_seq <= ?
     ORDER BY first_seq DESC LIMIT 1`,
    chain,
    seq,
  );
  return row === undefined || seq >= row.first_seq + row.count ? undefined : partOf(row);
}

/** Parts that begin before a position, newest first. */
export async function partsBefore(
  db: Queries,
  chain: string,
  before: number,
  limit: number,
): Promise<ArchivePart[]> {
  const rows = await db.all<PartRow>(
    `SELECT ${COLUMNS} FROM audit_archives WHERE chain = ? AND first_seq < ?
     ORDER BY first_seq DESC LIMIT ?`,
    chain,
    before,
    limit,
  );
  return rows.map(partOf);
}

/** Parts of all logs after a key, in the order of their keys. */
export async function partsBehind(
  db: Queries,
  after: { readonly chain: string; readonly firstSeq: number },
  limit: number,
): Promise<ArchivePart[]> {
  const rows = await db.all<PartRow>(
    `SELECT ${COLUMNS} FROM audit_archives WHERE (chain, first_seq) > (?, ?)
     ORDER BY chain, first_seq LIMIT ?`,
    after.chain,
    after.firstSeq,
    limit,
  );
  return rows.map(partOf);
}

/** Archived days of a site's logs, newest first within a log. */
export async function archivedDays(
  db: Queries,
  siteKeyHash: string,
  limit: number,
): Promise<ArchivedDay[]> {
  const rows = await db.all<PartRow>(
    `SELECT chain, day, MIN(first_seq) AS first_seq, CAST(SUM(count) AS BIGINT) AS count,
       COUNT(*) AS parts, CAST(SUM(bytes) AS BIGINT) AS bytes, MAX(archived_at) AS archived_at
     FROM audit_archives
     WHERE chain IN (SELECT chain FROM audit_chains WHERE site_key_hash = ?)
     GROUP BY chain, day ORDER BY chain, day DESC LIMIT ?`,
    siteKeyHash,
    limit,
  );
  return rows.map(({ chain, day, first_seq, count, parts, bytes, archived_at }) => ({
    chain,
    day,
    firstSeq: first_seq,
    count,
    parts,
    bytes,
    archivedAt: archived_at,
  }));
}

/** Positions in a site's archives where a record with this id may be; the file decides. */
export async function placesOfId(
  db: Queries,
  siteKeyHash: string,
  recordId: string,
): Promise<{ readonly part: ArchivePart; readonly seq: number }[]> {
  const rows = await db.all<PartRow & { id_ends: string }>(
    `SELECT ${COLUMNS}, id_ends FROM audit_archives
     WHERE chain IN (SELECT chain FROM audit_chains WHERE site_key_hash = ?)
       AND min_id <= ? AND max_id >= ?`,
    siteKeyHash,
    recordId,
    recordId,
  );
  const wanted = recordId.slice(-ID_END_CHARS);
  return rows.flatMap((row) => {
    const part = partOf(row);
    const places: { part: ArchivePart; seq: number }[] = [];
    for (let i = 0; i < part.count; i++) {
      const end = row.id_ends.slice(i * ID_END_CHARS, (i + 1) * ID_END_CHARS);
      if (end === wanted) places.push({ part, seq: part.firstSeq + i });
    }
    return places;
  });
}

/** Logs whose archived records are still in the database, because a process died before it deleted them. */
export async function logsToTrim(db: Queries): Promise<string[]> {
  const rows = await db.all<{ chain: string }>(
    `SELECT DISTINCT chain FROM audit_archives a
     WHERE EXISTS (SELECT 1 FROM audit_records r
                   WHERE r.chain = a.chain AND r.seq >= a.first_seq AND r.seq < a.first_seq + a.count)
     ORDER BY chain`,
  );
  return rows.map(({ chain }) => chain);
}
