import type { Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { DAY_MS, MINUTE_MS } from "../../infra/time.js";
import type { RejectedCaller } from "./rejection-counts.js";

interface SingleLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** Refusals that get a record each; the rest is counted in one record a minute. */
const STRANGERS: SingleLimits = { perMinute: 10, perDay: 500 };
const AGENT: SingleLimits = { perMinute: 60, perDay: 5000 };

function singleLimits({ agentId }: RejectedCaller): SingleLimits {
  return agentId === undefined ? STRANGERS : AGENT;
}

/**
 * Counts a refusal that gets its own record. Returns undefined if the limit allows it, otherwise the time
 * from which it does again.
 */
export async function takeSingle(
  tx: Transaction,
  caller: RejectedCaller,
  now: number,
): Promise<number | undefined> {
  const { siteKeyHash, endpoint, agentId = "" } = caller;
  const { perMinute, perDay } = singleLimits(caller);
  const minute = now - (now % MINUTE_MS);
  const day = now - (now % DAY_MS);
  const key = [siteKeyHash, endpoint, agentId];
  const taken = await tx.run(
    `INSERT INTO single_rejections
       (site_key_hash, door, agent_id, minute, in_minute, day, in_day) VALUES (?, ?, ?, ?, 1, ?, 1)
     ON CONFLICT (site_key_hash, door, agent_id) DO UPDATE SET
       in_minute = CASE WHEN single_rejections.minute = ? THEN single_rejections.in_minute + 1 ELSE 1 END,
       in_day = CASE WHEN single_rejections.day = ? THEN single_rejections.in_day + 1 ELSE 1 END,
       minute = ?, day = ?
     WHERE NOT (single_rejections.minute = ? AND single_rejections.in_minute >= ?)
       AND NOT (single_rejections.day = ? AND single_rejections.in_day >= ?)`,
    ...key,
    minute,
    day,
    minute,
    day,
    minute,
    day,
    minute,
    perMinute,
    day,
    perDay,
  );
  if (taken === 1) return undefined;
  const row = await tx.get<{ day: number; in_day: number }>(
    `SELECT day, in_day FROM single_rejections
     WHERE site_key_hash = ? AND door = ? AND agent_id = ?`,
    ...key,
  );
  const dayIsFull = row?.day === day && row.in_day >= perDay;
  return dayIsFull ? day + DAY_MS : minute + MINUTE_MS;
}

/** Removes counts of days that are over: an absent row and one of yesterday mean the same. */
export async function deleteExpiredRejections(tx: Transaction, now: number): Promise<void> {
  await tx.run("DELETE FROM single_rejections WHERE day < ?", now - (now % DAY_MS));
}

export const deleteRejections = deleterOf("single_rejections");
