import {
  DatabaseConflictError,
  type NewRow,
  type Queries,
  type Transaction,
} from "../../infra/db/database.js";
import { hashesIn } from "./hashes.js";
import { HeadMovedError, INSTALLATION, type LogHead } from "./log.js";

interface ChainRow {
  chain: string;
  site_key_hash: string;
  host: string;
  epoch: number;
  ordinal: number;
  state: LogHead["state"];
  size: number;
  frontier: string;
  last_hash: string;
  recorded_at: number;
  key_id: string;
  opened_at: number;
}

function headOf(row: ChainRow): LogHead {
  return Object.freeze({
    chain: row.chain,
    siteKeyHash: row.site_key_hash,
    host: row.host,
    epoch: row.epoch,
    ordinal: row.ordinal,
    state: row.state,
    size: row.size,
    frontier: hashesIn(row.frontier),
    lastHash: row.last_hash,
    recordedAt: row.recorded_at,
    keyId: row.key_id,
    openedAt: row.opened_at,
  });
}

/** Holds the open log of a site until the transaction ends. */
export async function lockOpenLog(
  tx: Transaction,
  siteKeyHash: string,
): Promise<LogHead | undefined> {
  const [row] = await tx.lock<ChainRow>(
    "SELECT * FROM audit_chains WHERE site_key_hash = ? AND state = 'open'",
    siteKeyHash,
  );
  return row && headOf(row);
}

export async function logByChain(db: Queries, chain: string): Promise<LogHead | undefined> {
  const row = await db.get<ChainRow>("SELECT * FROM audit_chains WHERE chain = ?", chain);
  return row && headOf(row);
}

/** All logs of a site, newest first. */
export async function logsOfSite(db: Queries, siteKeyHash: string): Promise<LogHead[]> {
  const rows = await db.all<ChainRow>(
    "SELECT * FROM audit_chains WHERE site_key_hash = ? ORDER BY ordinal DESC",
    siteKeyHash,
  );
  return rows.map(headOf);
}

/** Logs of all sites after a name, in order of name. */
export async function allLogs(db: Queries, after: string, limit: number): Promise<LogHead[]> {
  const rows = await db.all<ChainRow>(
    "SELECT * FROM audit_chains WHERE chain > ? ORDER BY chain LIMIT ?",
    after,
    limit,
  );
  return rows.map(headOf);
}

/** Sites whose log has a day to close, another key to name, or is closed without a successor. */
export async function sitesToMaintain(
  db: Queries,
  { before, keyId, after, limit }: { before: number; keyId: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await db.all<{ site_key_hash: string }>(
    `SELECT DISTINCT site_key_hash FROM audit_chains c
     WHERE site_key_hash > ?
       AND ((state = 'open' AND (recorded_at < ? OR key_id <> ?))
         OR NOT EXISTS (SELECT 1 FROM audit_chains o
                        WHERE o.site_key_hash = c.site_key_hash AND o.state = 'open'))
     ORDER BY site_key_hash LIMIT ?`,
    after,
    before,
    keyId,
    limit,
  );
  return rows.map(({ site_key_hash }) => site_key_hash);
}

export async function highestEpoch(db: Queries, host: string): Promise<number> {
  const row = await db.get<{ epoch: number | null }>(
    "SELECT MAX(epoch) AS epoch FROM audit_chains WHERE host = ?",
    host,
  );
  return row?.epoch ?? 0;
}

export async function insertLog(tx: Transaction, head: LogHead): Promise<void> {
  const row: NewRow = {
    chain: head.chain,
    site_key_hash: head.siteKeyHash,
    host: head.host,
    epoch: head.epoch,
    ordinal: head.ordinal,
    state: head.state,
    size: 0,
    frontier: "",
    last_hash: head.lastHash,
    recorded_at: head.recordedAt,
    key_id: head.keyId,
    opened_at: head.openedAt,
  };
  await tx.insert("audit_chains", [row]).catch(asMoved);
}

/** Two processes wrote at one place: the guards of the table let one through. */
function asMoved(error: unknown): never {
  if (!(error instanceof DatabaseConflictError)) throw error;
  throw new HeadMovedError("another process wrote here first", { cause: error });
}

export async function insertRecords(tx: Transaction, rows: readonly NewRow[]): Promise<void> {
  await tx.insert("audit_records", rows).catch(asMoved);
}

/** Moves a head on from the size it was read at. */
export async function moveHead(tx: Transaction, head: LogHead, fromSize: number): Promise<void> {
  const moved = await tx.run(
    `UPDATE audit_chains SET state = ?, size = ?, frontier = ?, last_hash = ?, recorded_at = ?,
       key_id = ? WHERE chain = ? AND size = ?`,
    head.state,
    head.size,
    head.frontier.join(""),
    head.lastHash,
    head.recordedAt,
    head.keyId,
    head.chain,
    fromSize,
  );
  if (moved !== 1) throw new HeadMovedError("the head is not where it was read");
}

/** Ends every open log. The next thing recorded opens a new epoch. */
export async function closeAllLogs(tx: Transaction): Promise<void> {
  await tx.run("UPDATE audit_chains SET state = 'closed' WHERE state = 'open'");
}

/** A record as it is stored. */
export interface StoredRecord {
  readonly chain: string;
  readonly seq: number;
  readonly type: string;
  readonly record_id: string;
  readonly recorded_at: number;
  readonly text: string;
  readonly hash: string;
  readonly sig: string;
  readonly key_id: string;
}

const COLUMNS = "chain, seq, type, record_id, recorded_at, text, hash, sig, key_id";

/** The names of some sites' logs that are written to. */
export async function someOpenLogs(db: Queries, limit: number): Promise<string[]> {
  const sql = "SELECT chain FROM audit_chains WHERE state = 'open' AND site_key_hash <> ? LIMIT ?";
  const rows = await db.all<{ chain: string }>(sql, INSTALLATION, limit);
  return rows.map(({ chain }) => chain);
}

export async function recordExists(db: Queries, recordId: string): Promise<boolean> {
  const sql = "SELECT 1 AS one FROM audit_records WHERE record_id = ?";
  return (await db.get(sql, recordId)) !== undefined;
}

/** A record by its id, if it is one of this site's. */
export function recordById(
  db: Queries,
  siteKeyHash: string,
  recordId: string,
): Promise<StoredRecord | undefined> {
  return db.get<StoredRecord>(
    `SELECT ${COLUMNS} FROM audit_records WHERE record_id = ?
       AND chain IN (SELECT chain FROM audit_chains WHERE site_key_hash = ?)`,
    recordId,
    siteKeyHash,
  );
}

/** Ids one question names. */
export const RECORD_IDS_MAX = 100;
const ID_MARKS = Array(RECORD_IDS_MAX).fill("?").join(", ");

/** The texts of this site's records with these ids, by id. */
export async function recordTexts(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length > RECORD_IDS_MAX) throw new Error("too many records are asked for at once");
  // Always as many, so that the database plans one text; no record has an empty id.
  const named = Array.from({ length: RECORD_IDS_MAX }, (_, place) => ids[place] ?? "");
  const rows = await db.all<Pick<StoredRecord, "record_id" | "text">>(
    `SELECT record_id, text FROM audit_records WHERE record_id IN (${ID_MARKS})
       AND chain IN (SELECT chain FROM audit_chains WHERE site_key_hash = ?)`,
    ...named,
    siteKeyHash,
  );
  return new Map(rows.map(({ record_id, text }) => [record_id, text]));
}

/** Records of a log from one place up to, and without, another. */
export function recordsBetween(
  db: Queries,
  chain: string,
  from: number,
  to: number,
): Promise<StoredRecord[]> {
  return db.all<StoredRecord>(
    `SELECT ${COLUMNS} FROM audit_records WHERE chain = ? AND seq >= ? AND seq < ? ORDER BY seq`,
    chain,
    from,
    to,
  );
}

/** Newest first, between two places; of one type, if one is named. */
export function recordsBefore(
  db: Queries,
  chain: string,
  [from, before]: readonly [number, number],
  { type, limit }: { readonly type: string | null; readonly limit: number },
): Promise<StoredRecord[]> {
  return db.all<StoredRecord>(
    `SELECT ${COLUMNS} FROM audit_records WHERE chain = ? AND seq >= ? AND seq < ?
       AND (CAST(? AS TEXT) IS NULL OR type = ?) ORDER BY seq DESC LIMIT ?`,
    chain,
    from,
    before,
    type,
    type,
    limit,
  );
}

/** When the record at a position was written; undefined if the database does not have it. */
export async function recordedAt(
  db: Queries,
  chain: string,
  seq: number,
): Promise<number | undefined> {
  const row = await db.get<{ recorded_at: number }>(
    "SELECT recorded_at FROM audit_records WHERE chain = ? AND seq = ?",
    chain,
    seq,
  );
  return row?.recorded_at;
}

/** What the tree needs of a record. */
export interface Leaf {
  readonly hash: string;
  /** The subtrees it completed, smallest first. */
  readonly closed: readonly string[];
}

/** The leaf at a position; undefined if the database does not have it. */
export async function leafAt(db: Queries, chain: string, seq: number): Promise<Leaf | undefined> {
  const row = await db.get<{ hash: string; closed: string }>(
    "SELECT hash, closed FROM audit_records WHERE chain = ? AND seq = ?",
    chain,
    seq,
  );
  return row && { hash: row.hash, closed: hashesIn(row.closed) };
}

/**
 * Deletes records of a log from one position up to, and excluding, another. The database refuses to
 * delete records that are not archived.
 */
export async function deleteArchivedRecords(
  tx: Transaction,
  chain: string,
  from: number,
  to: number,
): Promise<number> {
  return tx.run(
    "DELETE FROM audit_records WHERE chain = ? AND seq >= ? AND seq < ?",
    chain,
    from,
    to,
  );
}

/** The first record of a log that the database has. */
export async function firstKept(db: Queries, chain: string): Promise<number | undefined> {
  const row = await db.get<{ seq: number }>(
    "SELECT seq FROM audit_records WHERE chain = ? ORDER BY seq LIMIT 1",
    chain,
  );
  return row?.seq;
}
