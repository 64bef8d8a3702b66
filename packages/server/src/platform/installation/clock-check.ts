import type { Database } from "../db/database.js";
import { advanceFact, readFact } from "./installation.js";

/** How far this machine's clock may be off before nothing it dates can be trusted. */
export const CLOCK_SKEW_MS_MAX = 60_000;
export const HEARTBEAT_MS = 60_000;

/** Remembers that the clock reached this moment; it should never be seen earlier again. */
export function recordHeartbeat(db: Database, now: number): Promise<void> {
  return advanceFact(db, "last_seen_at", now);
}

/** Throws when the clock has run backwards, or disagrees with the database server's. */
export async function checkClock(db: Database, now: number): Promise<void> {
  const lastSeen = Number((await readFact(db, "last_seen_at")) ?? 0);
  if (now < lastSeen - CLOCK_SKEW_MS_MAX) {
    throw new Error(`the clock is ${lastSeen - now} ms behind a moment it has already seen`);
  }
  if (db.dialect !== "postgres") return;
  const row = await db.get<{ now: number }>(
    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now",
  );
  const skew = Math.abs((row?.now ?? now) - now);
  if (skew > CLOCK_SKEW_MS_MAX) throw new Error(`the clock is ${skew} ms off the database's`);
}
