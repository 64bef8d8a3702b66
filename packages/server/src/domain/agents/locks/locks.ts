import type { Transaction } from "../../../infra/db/database.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../infra/time.js";
import { identityOfAgentId } from "../store.js";
import { agentLock, countFailures, insertFailure, writeLock } from "./store.js";

/** The time in which wrong mandates are counted to lock an agent. */
const FAILURES_WINDOW_MS = 10 * MINUTE_MS;
const FAILURES_MAX = 20;
/** The length of the first lock, of the second, and of all later ones. */
const LOCKED_MS = [5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];
/** After this time without a lock, the next lock is a first one again. */
const FORGIVEN_MS = DAY_MS;

/**
 * Counts each wrong mandate of a known agent once, and locks the agent after too many. Only the
 * holder of the agent's key can cause this. Agents of one identity are counted and locked together.
 */
export async function countFailure(
  tx: Transaction,
  { siteKeyHash, agentId, mandateId }: { siteKeyHash: string; agentId: string; mandateId: string },
  now: number,
): Promise<void> {
  const identity = await identityOfAgentId(tx, siteKeyHash, agentId);
  // Two agents of one identity may use the same mandate ids.
  const failed = identity === agentId ? mandateId : `${agentId} ${mandateId}`;
  const counted = { siteKeyHash, agentId: identity, mandateId: failed };
  if (!(await insertFailure(tx, counted, now))) return;
  const failures = await countFailures(tx, siteKeyHash, identity, now - FAILURES_WINDOW_MS);
  if (failures < FAILURES_MAX) return;
  const before = await agentLock(tx, siteKeyHash, identity);
  if (before !== undefined && before.lockedUntil > now) return;
  const forgiven = before === undefined || before.lockedUntil + FORGIVEN_MS < now;
  const times = forgiven ? 0 : before.times;
  const lockedMs = LOCKED_MS[Math.min(times, LOCKED_MS.length - 1)] as number;
  await writeLock(tx, siteKeyHash, identity, { lockedUntil: now + lockedMs, times: times + 1 });
}
