import { CLOCK_SKEW_MS } from "@gatehouse/protocol";
import type { Database, Dialect, Queries } from "../db/database.js";
import { UnavailableError } from "../db/database.js";
import { MINUTE_MS } from "../time.js";
import { advanceFact, readFacts } from "./installation.js";

export const HEARTBEAT_MS = MINUTE_MS;

/** The clock cannot be trusted, so an expired request could be approved. */
export class ClockWrongError extends UnavailableError {
  override readonly name = "ClockWrongError";
  override readonly advice = {
    fault: "The clock of this service is wrong, so nothing is approved.",
    remedy: "An operator must correct the clock, or accept its time.",
    page: "operations/clock.md",
  };
}

/** Stores the time that the clock has reached. It must never be earlier again. */
export function recordHeartbeat(db: Database, now: number): Promise<void> {
  return advanceFact(db, "last_seen_at", now);
}

/** What an installation has stored about its clock. */
export interface ClockMemory {
  /** The latest moment any node has seen. */
  readonly lastSeenAt: number;
  /** The id of the last accepted time; undefined if there was none. */
  readonly accepted: string | undefined;
}

export async function readClockMemory(db: Queries): Promise<ClockMemory> {
  const facts = await readFacts(db, ["last_seen_at", "clock_accepted"]);
  return { lastSeenAt: Number(facts.last_seen_at ?? 0), accepted: facts.clock_accepted };
}

/** The time on the database's machine; undefined if that is this machine. */
export type DatabaseTime = (db: Queries) => Promise<number | undefined>;

const postgresTime: DatabaseTime = async (db) => {
  const row = await db.get<{ now: number }>(
    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now",
  );
  return row?.now;
};

export function databaseTimeOf(dialect: Dialect): DatabaseTime {
  return dialect === "postgres" ? postgresTime : async () => undefined;
}

export function refuseClockBehind(now: number, lastSeenAt: number): void {
  const behind = lastSeenAt - now;
  if (behind <= CLOCK_SKEW_MS) return;
  throw new ClockWrongError(
    `the clock is ${Math.round(behind / 1000)} s behind an earlier time of this service`,
  );
}

export function refuseClockSkew(now: number, databaseNow: number | undefined): void {
  const skew = Math.abs((databaseNow ?? now) - now);
  if (skew <= CLOCK_SKEW_MS) return;
  throw new ClockWrongError(
    `the clock differs from the database's clock by ${Math.round(skew / 1000)} s`,
  );
}

/** Throws when the clock has run backwards, or disagrees with the database server's. */
export async function checkClock(db: Database, now: number): Promise<void> {
  refuseClockBehind(now, (await readClockMemory(db)).lastSeenAt);
  refuseClockSkew(now, await databaseTimeOf(db.dialect)(db));
}
