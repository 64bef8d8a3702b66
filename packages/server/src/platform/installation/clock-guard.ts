import type { Clock } from "../clock.js";
import type { Database, Queries } from "../db/database.js";
import {
  type DatabaseTime,
  databaseTimeOf,
  readClockMemory,
  refuseClockBehind,
  refuseClockSkew,
} from "./clock-check.js";

/** How long a good verdict holds: within it a decision asks memory alone. */
const VERDICT_MS = 10_000;

/**
 * Knows whether the clock can be trusted. Every decision asks, since a clock set back would approve
 * what has expired. What it remembers belongs to the process, not to any transaction: a decision that
 * is rolled back has seen the clock all the same.
 */
export class ClockGuard {
  private readonly clock: Clock;
  private readonly databaseTime: DatabaseTime;
  /** The latest moment this process has seen. */
  private highest = 0;
  /** The last jump known to be accepted. */
  private accepted: string | undefined;
  /** When the clock was last found to be right. */
  private checkedAt = Number.NEGATIVE_INFINITY;

  /** Tests on a clock of their own say what the database's machine shows. */
  constructor({ dialect }: Database, clock: Clock, databaseTime = databaseTimeOf(dialect)) {
    this.clock = clock;
    this.databaseTime = databaseTime;
  }

  /** Throws while the clock is wrong. A step back of any size is looked at anew. */
  async require(tx: Queries, now: number): Promise<void> {
    const age = now - this.checkedAt;
    if (age < 0 || age >= VERDICT_MS) await this.check(tx, now);
    this.highest = Math.max(this.highest, now);
  }

  /** Asks the database, whatever was found before; throws while the clock is wrong. */
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
