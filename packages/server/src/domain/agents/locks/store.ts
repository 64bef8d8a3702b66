import type { Queries, Transaction } from "../../../infra/db/database.js";
import { countRows } from "../../../infra/db/statements.js";
import { Table } from "../../../infra/db/table.js";

/** Until when an agent is locked, and how many times in a row it was. */
interface AgentLock {
  readonly lockedUntil: number;
  readonly times: number;
}

const locks = new Table<AgentLock>("agent_locks", {
  lockedUntil: "locked_until",
  times: "times",
});

export const agentLock = locks.ofSiteBy("agent_id");

export function writeLock(
  tx: Transaction,
  siteKeyHash: string,
  agentId: string,
  lock: AgentLock,
): Promise<void> {
  const place = { site_key_hash: siteKeyHash, agent_id: agentId };
  return locks.upsert(tx, lock, { key: Object.keys(place) }, place);
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
