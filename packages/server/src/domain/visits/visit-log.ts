import { systemClock } from "../../infra/clock.js";
import { type Database, DatabaseUnavailableError } from "../../infra/db/database.js";
import { insertVisits } from "./store.js";
import type { NewVisit } from "./visit.js";

/** Visits written in one transaction. */
const BATCH_VISITS_MAX = 512;
/** Visits in the queue. Further ones are refused at once. */
const QUEUE_VISITS_MAX = 20_000;
/** How long a visit waits to be written. */
const TURN_MS_MAX = 2000;

interface QueuedVisit {
  readonly visits: readonly NewVisit[];
  readonly queuedAt: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes visits in batches: visits that arrive during a write go into the next batch, so a single visit does
 * not wait and many share one sync to disk. They are durable when `add` resolves. A crash before that loses
 * them, and no caller got an answer that they were stored.
 */
export class VisitLog {
  private readonly db: Database;
  private queue: QueuedVisit[] = [];
  private waiting = 0;
  private running: Promise<void> | undefined;

  constructor(db: Database) {
    this.db = db;
  }

  add(visits: readonly NewVisit[]): Promise<void> {
    if (this.waiting + visits.length > QUEUE_VISITS_MAX) {
      return Promise.reject(new DatabaseUnavailableError("too many visits are waiting"));
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ visits, queuedAt: systemClock.now(), resolve, reject });
      this.waiting += visits.length;
      this.running ??= this.run();
    });
  }

  /** Waits until everything that was added is written or refused. */
  async drain(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) {
      // Requests that have already arrived join the queue first and share this batch.
      await new Promise((resolve) => setImmediate(resolve));
      await this.write(this.take());
    }
    // In the same turn as the check of the queue, so that a visit that arrives now starts the next
    // run.
    this.running = undefined;
  }

  private take(): readonly QueuedVisit[] {
    const taken: QueuedVisit[] = [];
    let visits = 0;
    for (const entry of this.queue) {
      if (taken.length > 0 && visits + entry.visits.length > BATCH_VISITS_MAX) break;
      taken.push(entry);
      visits += entry.visits.length;
    }
    this.queue = this.queue.slice(taken.length);
    this.waiting -= visits;
    const since = systemClock.now() - TURN_MS_MAX;
    const late = taken.filter(({ queuedAt }) => queuedAt < since);
    for (const { reject } of late) reject(new DatabaseUnavailableError("the database is busy"));
    return late.length === 0 ? taken : taken.filter(({ queuedAt }) => queuedAt >= since);
  }

  private async write(taken: readonly QueuedVisit[]): Promise<void> {
    if (taken.length === 0) return;
    try {
      const visits = taken.flatMap((entry) => entry.visits);
      await this.db.transaction((tx) => insertVisits(tx, visits));
      for (const { resolve } of taken) resolve();
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }
}
