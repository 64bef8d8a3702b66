import type { ExpectedRead, Queries, Transaction } from "../db/database.js";
import { MINUTE_US, type Rate } from "./local.js";

/**
 * A row that is further ahead was written before the clock was set back, and nobody should wait for the old
 * time. The clocks of two nodes differ by less.
 */
const CLOCK_BACK_US = 5 * MINUTE_US;

const TABLE = "exact_limits";

const UNUSED = { arrival_us: 0 };

/** The row that {@link takeExact} holds. */
export function readOfLimit(key: string): ExpectedRead {
  return { kind: "hold", table: TABLE, key: { limit_key: key }, otherwise: UNUSED };
}

async function held(tx: Transaction, key: string): Promise<{ readonly arrival_us: number }> {
  const row = await tx.hold(TABLE, { limit_key: key }, UNUSED);
  return { arrival_us: row?.arrival_us as number };
}

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
  const { arrival_us: arrival } = await held(tx, key);
  const isReal = arrival > now && arrival <= latest + CLOCK_BACK_US;
  const next = (isReal ? arrival : now) + interval;
  if (next > latest) return false;
  await tx.set(TABLE, { limit_key: key }, { arrival_us: next });
  return true;
}

/** Gives back what {@link takeExact} took in the same transaction. */
export async function refundExact(tx: Transaction, key: string, rate: Rate): Promise<void> {
  const interval = Math.floor(MINUTE_US / rate.perMinute);
  const { arrival_us: arrival } = await held(tx, key);
  await tx.set(TABLE, { limit_key: key }, { arrival_us: arrival - interval });
}

/** Deletes rows that limit nobody any more. */
export async function deleteExpiredRates(db: Queries, nowMs: number): Promise<void> {
  await db.run("DELETE FROM exact_limits WHERE arrival_us < ?", nowMs * 1000);
}
