import {
  DatabaseConflictError,
  type NewRow,
  type Queries,
  type Transaction,
} from "../../infra/db/database.js";
import { HeadMovedError, hashesIn, INSTALLATION, type LogHead } from "./log.js";

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

/** Locks the open log of a site until the transaction ends. */
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

/** Logs of all sites after a name, ordered by name. */
export async function allLogs(db: Queries, after: string, limit: number): Promise<LogHead[]> {
  const rows = await db.all<ChainRow>(
    "SELECT * FROM audit_chains WHERE chain > ? ORDER BY chain LIMIT ?",
    after,
    limit,
  );
  return rows.map(headOf);
}

/** Sites whose log has a day to close or a new key to record, or is closed without a successor. */
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

/** Two processes wrote at one position, and the constraints of the table accepted only one. */
function asMoved(error: unknown): never {
  if (!(error instanceof DatabaseConflictError)) throw error;
  throw new HeadMovedError("another process wrote here first", { cause: error });
}

export async function insertRecords(tx: Transaction, rows: readonly NewRow[]): Promise<void> {
  await tx.insert("audit_records", rows).catch(asMoved);
}

/** Moves a head forward from the size at which it was read. */
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

/** Closes all open logs. The next record opens a new epoch. */
export async function closeAllLogs(tx: Transaction): Promise<void> {
  await tx.run("UPDATE audit_chains SET state = 'closed' WHERE state = 'open'");
}

/** The names of some open logs of sites. */
export async function someOpenLogs(db: Queries, limit: number): Promise<string[]> {
  const sql = "SELECT chain FROM audit_chains WHERE state = 'open' AND site_key_hash <> ? LIMIT ?";
  const rows = await db.all<{ chain: string }>(sql, INSTALLATION, limit);
  return rows.map(({ chain }) => chain);
}
