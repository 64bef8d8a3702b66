import type { Clock } from "../clock.js";
import type { Database, Queries } from "../db/database.js";
import {
  type DatabaseTime,
  databaseTimeOf,
  readClockMemory,
  refuseClockBehind,
  refuseClockSkew,
} from "./clock-check.js";

/** For this long after a good check, decisions do not ask the database again. */
const VERDICT_MS = 10_000;

/**
 * Knows whether the clock can be trusted. Every decision checks it, because a clock that was set back
 * would approve expired requests. Its memory belongs to the process, not to a transaction: a decision
 * that is rolled back has still seen the time.
 */
export class ClockGuard {
  private readonly clock: Clock;
  private readonly databaseTime: DatabaseTime;
  /** The latest moment this process has seen. */
  private highest = 0;
  /** The id of the last accepted time that this process knows. */
  private accepted: string | undefined;
  /** When the clock was last found to be right. */
  private checkedAt = Number.NEGATIVE_INFINITY;

  /** Tests with their own clock also set the time of the database's machine. */
  constructor({ dialect }: Database, clock: Clock, databaseTime = databaseTimeOf(dialect)) {
    this.clock = clock;
    this.databaseTime = databaseTime;
  }

  /** Throws while the clock is wrong. Any step back is checked again. */
  async require(tx: Queries, now: number): Promise<void> {
    const age = now - this.checkedAt;
    if (age < 0 || age >= VERDICT_MS) await this.check(tx, now);
    this.highest = Math.max(this.highest, now);
  }

  /** Asks the database, even if the last check was good. Throws while the clock is wrong. */
  async check(db: Queries, now = this.clock.now()): Promise<void> {
    this.checkedAt = Number.NEGATIVE_INFINITY;
    refuseClockBehind(now, await this.lastSeenAt(db));
    await this.refuseSkew(db, now);
    this.checkedAt = now;
  }

  /** Throws while the clock disagrees with that of the database's machine. */
  async refuseSkew(db: Queries, now: number): Promise<void> {
    refuseClockSkew(now, await this.databaseTime(db));
  }

  /** The latest moment seen by this process or any other since the time was last accepted. */
  async lastSeenAt(db: Queries): Promise<number> {
    const { lastSeenAt, accepted } = await readClockMemory(db);
    if (accepted !== this.accepted) {
      this.accepted = accepted;
      this.highest = 0;
    }
    return Math.max(this.highest, lastSeenAt);
  }
}
