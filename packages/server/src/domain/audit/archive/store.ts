import type { Queries, Transaction } from "../../../infra/db/database.js";
import { selectNumber, selectValue, selectValues } from "../../../infra/db/statements.js";
import { converted, json, Table } from "../../../infra/db/table.js";
import { hashesIn } from "../log.js";
import type { ArchivedDay, ArchivePart } from "./part.js";

/** Without the ids of a part's records, which can be long. */
const COLUMNS =
  "chain, first_seq, count, day, part, parts, file, bytes, sha256, frontier, types, node, archived_at";

const parts = new Table<ArchivePart>(
  "audit_archives",
  {
    chain: "chain",
    firstSeq: "first_seq",
    count: "count",
    day: "day",
    part: "part",
    parts: "parts",
    file: "file",
    bytes: "bytes",
    sha256: "sha256",
    frontier: converted("frontier", hashesIn, (hashes) => hashes.join("")),
    types: json("types"),
    node: "node",
    archivedAt: "archived_at",
  },
  COLUMNS,
);

/** Characters kept of the end of a record's id, which is random. */
const ID_END_CHARS = 8;

/** A part that is being written to the database, with the ids of its records in order. */
export interface NewPart extends Omit<ArchivePart, "archivedAt"> {
  readonly recordIds: readonly string[];
}

export function insertPart(tx: Transaction, part: NewPart, now: number): Promise<void> {
  const sorted = [...part.recordIds].sort();
  return parts.insert(tx, [{ ...part, archivedAt: now }], {
    min_id: sorted[0] as string,
    max_id: sorted.at(-1) as string,
    id_ends: part.recordIds.map((id) => id.slice(-ID_END_CHARS)).join(""),
  });
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

export function keptNode(
  db: Queries,
  chain: string,
  level: number,
  place: number,
): Promise<string | undefined> {
  const from = "audit_archive_nodes WHERE chain = ? AND level = ? AND place = ?";
  return selectValue<string>(db, "hash", from, chain, level, place);
}

/** The number of archived records of a log. They are always the first ones. */
export function archivedEnd(db: Queries, chain: string): Promise<number> {
  const from = "audit_archives WHERE chain = ? ORDER BY first_seq DESC LIMIT 1";
  return selectNumber(db, "first_seq + count", from, chain);
}

/** The number of archived records of a log from days before this one. */
export function archivedBeforeDay(db: Queries, chain: string, day: string): Promise<number> {
  const from = "audit_archives WHERE chain = ? AND day < ? ORDER BY day DESC, part DESC LIMIT 1";
  return selectNumber(db, "first_seq + count", from, chain, day);
}

/** The part with the record at a position. */
export async function partAt(
  db: Queries,
  chain: string,
  seq: number,
): Promise<ArchivePart | undefined> {
  const rest = "WHERE chain = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1";
  const part = await parts.get(db, rest, chain, seq);
  return part === undefined || seq >= part.firstSeq + part.count ? undefined : part;
}

/** Parts that begin before a position, newest first. */
export function partsBefore(
  db: Queries,
  chain: string,
  before: number,
  limit: number,
): Promise<ArchivePart[]> {
  const rest = "WHERE chain = ? AND first_seq < ? ORDER BY first_seq DESC LIMIT ?";
  return parts.all(db, rest, chain, before, limit);
}

/** Parts of all logs after a key, in the order of their keys. */
export function partsBehind(
  db: Queries,
  after: { readonly chain: string; readonly firstSeq: number },
  limit: number,
): Promise<ArchivePart[]> {
  const rest = "WHERE (chain, first_seq) > (?, ?) ORDER BY chain, first_seq LIMIT ?";
  return parts.all(db, rest, after.chain, after.firstSeq, limit);
}

/** Archived days of a site's logs, newest first within a log. */
export function archivedDays(
  db: Queries,
  siteKeyHash: string,
  limit: number,
): Promise<ArchivedDay[]> {
  return db.all<ArchivedDay>(
    `SELECT chain, day, MIN(first_seq) AS "firstSeq", CAST(SUM(count) AS BIGINT) AS count,
       COUNT(*) AS parts, CAST(SUM(bytes) AS BIGINT) AS bytes, MAX(archived_at) AS "archivedAt"
     FROM audit_archives
     WHERE chain IN (SELECT chain FROM audit_chains WHERE site_key_hash = ?)
     GROUP BY chain, day ORDER BY chain, day DESC LIMIT ?`,
    siteKeyHash,
    limit,
  );
}

/** Positions in a site's archives where a record with this id may be; the file decides. */
export async function placesOfId(
  db: Queries,
  siteKeyHash: string,
  recordId: string,
): Promise<{ readonly part: ArchivePart; readonly seq: number }[]> {
  const rows = await db.all<{ id_ends: string }>(
    `SELECT ${COLUMNS}, id_ends FROM audit_archives
     WHERE chain IN (SELECT chain FROM audit_chains WHERE site_key_hash = ?)
       AND min_id <= ? AND max_id >= ?`,
    siteKeyHash,
    recordId,
    recordId,
  );
  const wanted = recordId.slice(-ID_END_CHARS);
  return rows.flatMap((row) => {
    const part = parts.read(row);
    const places: { part: ArchivePart; seq: number }[] = [];
    for (let i = 0; i < part.count; i++) {
      const end = row.id_ends.slice(i * ID_END_CHARS, (i + 1) * ID_END_CHARS);
      if (end === wanted) places.push({ part, seq: part.firstSeq + i });
    }
    return places;
  });
}

/** Logs whose archived records are still in the database, because a process died before it deleted them. */
export function logsToTrim(db: Queries): Promise<string[]> {
  return selectValues<string>(
    db,
    "DISTINCT chain",
    `audit_archives a
     WHERE EXISTS (SELECT 1 FROM audit_records r
                   WHERE r.chain = a.chain AND r.seq >= a.first_seq AND r.seq < a.first_seq + a.count)
     ORDER BY chain`,
  );
}
