import type { Queries, Transaction } from "../db/database.js";
import { MINUTE_US, type Rate } from "./local.js";

/**
 * Further ahead than this, a row was written before the clock was set back, and nobody should wait
 * for the time it had. Clocks of two nodes differ by less.
 */
const CLOCK_BACK_US = 5 * MINUTE_US;

/**
 * The generic cell rate algorithm in one row per key, for limits that guard money. Counted in the
 * caller's own transaction: if that rolls back, nothing was taken; until it ends, the row lock
 * keeps other processes waiting, so no two of them can both take the last place.
 * Returns whether one more may pass. All arithmetic is in whole microseconds.
 */
export async function takeExact(
  tx: Transaction,
  key: string,
  { perMinute, burst = perMinute }: Rate,
  nowMs: number,
): Promise<boolean> {
  const interval = Math.floor(MINUTE_US / perMinute);
  const now = nowMs * 1000;
  const latest = now + burst * interval;
  const unreal = latest + CLOCK_BACK_US;
  const from = `(CASE WHEN exact_limits.arrival_us > ? AND exact_limits.arrival_us <= ?
    THEN exact_limits.arrival_us ELSE ? END) + ?`;
  const values = [now, unreal, now, interval];
  // Rows that were written, not rows that are returned: those cost four times as much to read.
  const taken = await tx.run(
    `INSERT INTO exact_limits (limit_key, arrival_us) VALUES (?, ?)
     ON CONFLICT (limit_key) DO UPDATE SET arrival_us = ${from} WHERE ${from} <= ?`,
    key,
    now + interval,
    ...values,
    ...values,
    latest,
  );
  return taken === 1;
}

/** Gives back a place that {@link takeExact} took in the same transaction and nobody used. */
export async function refundExact(tx: Transaction, key: string, rate: Rate): Promise<void> {
  const interval = Math.floor(MINUTE_US / rate.perMinute);
  const sql = "UPDATE exact_limits SET arrival_us = arrival_us - ? WHERE limit_key = ?";
  await tx.run(sql, interval, key);
}

/** Drops rows that limit nobody any more; an absent row and an expired one mean the same. */
export async function deleteExpiredRates(db: Queries, nowMs: number): Promise<void> {
  await db.run("DELETE FROM exact_limits WHERE arrival_us < ?", nowMs * 1000);
}
