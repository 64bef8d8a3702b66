import {
  DatabaseConflictError,
  type NewRow,
  type Queries,
  type Transaction,
} from "../../infra/db/database.js";
import { selectNumber, selectValues } from "../../infra/db/statements.js";
import { converted, Table } from "../../infra/db/table.js";
import { HeadMovedError, hashesIn, INSTALLATION, type LogHead } from "./log.js";

const logs = new Table<LogHead>("audit_chains", {
  chain: "chain",
  siteKeyHash: "site_key_hash",
  host: "host",
  epoch: "epoch",
  ordinal: "ordinal",
  state: "state",
  size: "size",
  frontier: converted("frontier", hashesIn, (hashes) => hashes.join("")),
  lastHash: "last_hash",
  recordedAt: "recorded_at",
  keyId: "key_id",
  openedAt: "opened_at",
});

/** Locks the open log of a site until the transaction ends. */
export function lockOpenLog(tx: Transaction, siteKeyHash: string): Promise<LogHead | undefined> {
  return logs.lock(tx, "WHERE site_key_hash = ? AND state = 'open'", siteKeyHash);
}

export const logByChain = logs.by("chain");

/** All logs of a site, newest first. */
export function logsOfSite(db: Queries, siteKeyHash: string): Promise<LogHead[]> {
  return logs.all(db, "WHERE site_key_hash = ? ORDER BY ordinal DESC", siteKeyHash);
}

/** Logs of all sites after a name, ordered by name. */
export function allLogs(db: Queries, after: string, limit: number): Promise<LogHead[]> {
  return logs.all(db, "WHERE chain > ? ORDER BY chain LIMIT ?", after, limit);
}

/** Sites whose log has a day to close or a new key to record, or is closed without a successor. */
export function sitesToMaintain(
  db: Queries,
  { before, keyId, after, limit }: { before: number; keyId: string; after: string; limit: number },
): Promise<string[]> {
  return selectValues<string>(
    db,
    "DISTINCT site_key_hash",
    `audit_chains c
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
}

export function highestEpoch(db: Queries, host: string): Promise<number> {
  return selectNumber(db, "MAX(epoch)", "audit_chains WHERE host = ?", host);
}

export async function insertLog(tx: Transaction, head: LogHead): Promise<void> {
  await logs.insert(tx, [head], { size: 0, frontier: "" });
  await tx.write().catch(asMoved);
}

/** Two processes wrote at one position, and the constraints of the table accepted only one. */
function asMoved(error: unknown): never {
  if (!(error instanceof DatabaseConflictError)) throw error;
  throw new HeadMovedError("another process wrote here first", { cause: error });
}

export async function insertRecords(tx: Transaction, rows: readonly NewRow[]): Promise<void> {
  await tx.insert("audit_records", rows);
  await tx.write().catch(asMoved);
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
export function someOpenLogs(db: Queries, limit: number): Promise<string[]> {
  const from = "audit_chains WHERE state = 'open' AND site_key_hash <> ? LIMIT ?";
  return selectValues<string>(db, "chain", from, INSTALLATION, limit);
}
