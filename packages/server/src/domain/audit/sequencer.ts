import { systemClock } from "../../infra/clock.js";
import type { Dialect } from "../../infra/db/database.js";
import { probeWriting } from "../../infra/installation/installation.js";
import type { CommitBody, ReadsOfBody } from "./batch.js";
import { BatchSettler, type PendingCommit, type SettlerTools } from "./batch-settler.js";
import { FairQueue } from "./fair-queue.js";
import { AuditUnavailableError } from "./log.js";

/** Commits per transaction. */
const BATCH_ENTRIES_MAX = 256;
/** Batches that are written at the same time, each of other sites. SQLite has one writer. */
const BATCHES_MAX: Readonly<Record<Dialect, number>> = { sqlite: 1, postgres: 4 };
/**
 * A further batch begins when so many commits wait for it, or the first has waited so long: fewer and
 * larger batches cost less, but none may wait long for another one's lock.
 */
const FURTHER_ENTRIES_MIN = 64;
const FURTHER_MS_MAX = 20;
/**
 * How long a batch waits for further commits. While more arrive, the process is busy proving them, so a
 * smaller batch would not be faster.
 */
const GATHER_MS_MAX = 25;
/** Commits in the queue. Further ones are refused at once. */
const QUEUE_ENTRIES_MAX = 10_000;
/** Commits in the queue of one site, so that others find room. */
const SITE_ENTRIES_MAX = 2_500;
/** How long a commit waits to begin. After this time it is refused and never runs. */
const TURN_MS_MAX = 2000;

/** The result of a commit. */
export interface Committed<T> {
  readonly answer: T;
  /** The ids of its records, in order. */
  readonly recordIds: readonly string[];
}

/**
 * The only way to write logs. Commits that arrive while a batch is written form the next batch, so
 * a single commit does not wait and many share one sync to disk. A site is in one batch at a time.
 * Answers are released after the commit.
 */
export class Sequencer {
  private readonly tools: SettlerTools;
  private readonly settler: BatchSettler;
  private readonly queue = new FairQueue<PendingCommit>();
  private isGathering = false;
  private readonly batches = new Set<Promise<void>>();
  private cancelSweep: (() => void) | undefined;
  private cancelFurther: (() => void) | undefined;

  constructor(tools: SettlerTools) {
    this.tools = tools;
    this.settler = new BatchSettler(tools);
  }

  /** Runs `body` and writes its records in one transaction, or nothing at all. */
  commit<T>(siteKeyHash: string, body: CommitBody<T>, reads: ReadsOfBody): Promise<Committed<T>> {
    const { queue } = this;
    if (queue.size >= QUEUE_ENTRIES_MAX || queue.sizeOf(siteKeyHash) >= SITE_ENTRIES_MAX) {
      return Promise.reject(new AuditUnavailableError("too much is waiting to be recorded"));
    }
    return new Promise((resolve, reject) => {
      const queuedAt = systemClock.now();
      queue.push({ siteKeyHash, body, reads, queuedAt, resolve: resolve as never, reject });
      this.sweepLater();
      this.begin();
    });
  }

  /** Commits that have not begun. */
  get waiting(): number {
    return this.queue.size;
  }

  /** Tries to write, with a lasting probe if the last commit failed. Throws if it fails. */
  async probe(): Promise<void> {
    await probeWriting(this.tools.db, this.settler.failing !== undefined);
    this.settler.failing = undefined;
  }

  /** Waits until everything in the queue has ended. */
  async drain(): Promise<void> {
    while (this.batches.size > 0) await Promise.race(this.batches);
  }

  /** Begins a batch if commits wait whose site is in no batch. Beside another batch it waits for more of them. */
  private begin(isDue = false): void {
    const { queue, batches } = this;
    if (this.isGathering || queue.ready === 0) return;
    if (batches.size >= BATCHES_MAX[this.tools.db.dialect]) return;
    if (batches.size > 0 && !isDue && queue.ready < FURTHER_ENTRIES_MIN) {
      this.beginLater();
      return;
    }
    const batch = this.run().finally(() => {
      batches.delete(batch);
      this.begin();
    });
    batches.add(batch);
  }

  private beginLater(): void {
    this.cancelFurther ??= systemClock.after(FURTHER_MS_MAX, () => {
      this.cancelFurther = undefined;
      this.begin(true);
    });
  }

  private async run(): Promise<void> {
    this.isGathering = true;
    await this.gather();
    this.isGathering = false;
    const taken = this.queue.take(BATCH_ENTRIES_MAX);
    if (taken.length === 0) return;
    const sites = new Set(taken.map(({ siteKeyHash }) => siteKeyHash));
    this.queue.hold(sites);
    // What it did not take may begin at the same time.
    this.begin();
    try {
      this.tools.crashPoint("audit.taken");
      await this.settler.settle(taken);
    } finally {
      this.queue.release(sites);
    }
  }

  /** Waits while the queue grows: requests that have already arrived share the next batch. */
  private async gather(): Promise<void> {
    const until = systemClock.now() + GATHER_MS_MAX;
    let queued: number;
    do {
      queued = this.queue.ready;
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.queue.ready > queued && queued < BATCH_ENTRIES_MAX && systemClock.now() < until);
  }

  /** Refuses commits that have waited too long behind a batch that does not end. */
  private sweepLater(): void {
    if (this.cancelSweep !== undefined || this.queue.size === 0) return;
    this.cancelSweep = systemClock.after(TURN_MS_MAX, () => {
      this.cancelSweep = undefined;
      const late = this.queue.takeQueuedUntil(systemClock.now() - TURN_MS_MAX);
      for (const { reject } of late) reject(new AuditUnavailableError("the audit log is busy"));
      this.sweepLater();
    });
  }
}
