import type { Queries, Transaction } from "../../../infra/db/database.js";
import { countRows } from "../../../infra/db/select.js";

/** Until when an agent is locked, and how many times in a row it was. */
interface AgentLock {
  readonly lockedUntil: number;
  readonly times: number;
}

export async function agentLock(
  db: Queries,
  siteKeyHash: string,
  agentId: string,
): Promise<AgentLock | undefined> {
  const row = await db.get<{ locked_until: number; times: number }>(
    "SELECT locked_until, times FROM agent_locks WHERE site_key_hash = ? AND agent_id = ?",
    siteKeyHash,
    agentId,
  );
  return row && { lockedUntil: row.locked_until, times: row.times };
}

export async function writeLock(
  tx: Transaction,
  siteKeyHash: string,
  agentId: string,
  { lockedUntil, times }: AgentLock,
): Promise<void> {
  await tx.run(
    `INSERT INTO agent_locks (site_key_hash, agent_id, locked_until, times) VALUES (?, ?, ?, ?)
     ON CONFLICT (site_key_hash, agent_id) DO UPDATE SET locked_until = ?, times = ?`,
    siteKeyHash,
    agentId,
    lockedUntil,
    times,
    lockedUntil,
    times,
  );
}

/** Returns false for a mandate that was already counted. */
export async function insertFailure(
  tx: Transaction,
  { siteKeyHash, agentId, mandateId }: { siteKeyHash: string; agentId: string; mandateId: string },
  now: number,
): Promise<boolean> {
  const inserted = await tx.run(
    `INSERT INTO agent_failures (site_key_hash, agent_id, mandate_id, failed_at)
     VALUES (?, ?, ?, ?) ON CONFLICT (site_key_hash, agent_id, mandate_id) DO NOTHING`,
    siteKeyHash,
    agentId,
    mandateId,
    now,
  );
  return inserted === 1;
}

export function countFailures(
  tx: Queries,
  siteKeyHash: string,
  agentId: string,
  since: number,
): Promise<number> {
  const from = "agent_failures WHERE site_key_hash = ? AND agent_id = ? AND failed_at >= ?";
  return countRows(tx, from, siteKeyHash, agentId, since);
}

export async function deleteExpiredFailures(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM agent_failures WHERE failed_at < ?", before);
}
