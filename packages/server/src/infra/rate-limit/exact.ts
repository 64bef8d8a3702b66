import type { Queries, Transaction } from "../db/database.js";
import { MINUTE_US, type Rate } from "./local.js";

/**
 * A row that is further ahead was written before the clock was set back, and nobody should wait for the old
 * time. The clocks of two nodes differ by less.
 */
const CLOCK_BACK_US = 5 * MINUTE_US;

/**
 * The generic cell rate algorithm in one row per key, for limits that protect money. It counts in the
 * caller's transaction: a rollback takes nothing, and the row lock makes other processes wait, so that two
 * of them cannot both take the last place. Returns whether the request is allowed. All arithmetic is in
 * whole microseconds.
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
  // The number of written rows is used, because reading returned rows costs four times as much.
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

/** Gives back what {@link takeExact} took in the same transaction. */
export async function refundExact(tx: Transaction, key: string, rate: Rate): Promise<void> {
  const interval = Math.floor(MINUTE_US / rate.perMinute);
  const sql = "UPDATE exact_limits SET arrival_us = arrival_us - ? WHERE limit_key = ?";
  await tx.run(sql, interval, key);
}

/** Deletes rows that limit nobody any more. */
export async function deleteExpiredRates(db: Queries, nowMs: number): Promise<void> {
  await db.run("DELETE FROM exact_limits WHERE arrival_us < ?", nowMs * 1000);
}
