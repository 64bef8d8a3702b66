import { pause, systemClock } from "../../infra/clock.js";
import {
  type Database,
  DatabaseUnavailableError,
  UnavailableError,
} from "../../infra/db/database.js";
import { probeWriting } from "../../infra/installation/installation.js";
import {
  type BatchEntry,
  type BatchTools,
  type CommitBody,
  EntryFailedError,
  type ReadsOfBody,
  type Written,
  type WrittenBatch,
  writeBatch,
} from "./batch.js";
import { FairQueue } from "./fair-queue.js";
import { AuditUnavailableError, HeadMovedError, type LogHead } from "./log.js";
import { recordExists } from "./records/store.js";
import { lockOpenLog } from "./store.js";

/** Commits per transaction. */
const BATCH_ENTRIES_MAX = 256;
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
/** Another process may move the head first a few times in a row, but not for ever. */
const HEAD_TRIES_MAX = 5;
/**
 * After a lost connection: how often the database is asked whether it committed, and the time
 * between.
 */
const OUTCOME_TRIES_MAX = 10;
const OUTCOME_RETRY_MS = 200;

/** The result of a commit. */
export interface Committed<T> {
  readonly answer: T;
  /** The ids of its records, in order. */
  readonly recordIds: readonly string[];
}

interface Waiting extends BatchEntry {
  readonly queuedAt: number;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

export interface SequencerTools {
  readonly db: Database;
  /** The current clock and key for a batch. Read again for every try. */
  batchTools(): Promise<BatchTools>;
  /** Called with every log that has new records, after they are durable. */
  grown(heads: readonly LogHead[]): void;
  count(labels: { readonly result: "recorded" | "failed" }, commits: number): void;
  crashPoint: BatchTools["crashPoint"];
}

/** The error for the caller: its own, or that nothing can be recorded now. */
function reasonOf(error: unknown): unknown {
  if (error instanceof EntryFailedError) return error.cause;
  if (!(error instanceof HeadMovedError)) return error;
  return new AuditUnavailableError("the log is contended", { cause: error });
}

/** Whether it is known what failed: one entry, or the database for all of them. */
function isBlamed(error: unknown): boolean {
  return error instanceof EntryFailedError || error instanceof UnavailableError;
}

/** Runs the `after` of a commit, then releases its answer. */
function release({ resolve, reject }: Waiting, { after, answer, recordIds }: Written): void {
  try {
    after?.();
    resolve({ answer, recordIds });
  } catch (error) {
    // The record is written. The caller retries and finds it; the other commits are not affected.
    reject(error);
  }
}

/**
 * The only way to write logs. Commits that arrive while a batch is written form the next batch, so
 * a single commit does not wait and many share one sync to disk. Answers are released after the
 * commit.
 */
export class Sequencer {
  private readonly tools: SequencerTools;
  private readonly queue = new FairQueue<Waiting>();
  private running = false;
  private finished: Promise<void> = Promise.resolve();
  private cancelSweep: (() => void) | undefined;
  /** Why the last write failed; undefined after a successful one. */
  private failing: unknown;

  constructor(tools: SequencerTools) {
    this.tools = tools;
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
      if (!this.running) this.finished = this.run();
    });
  }

  /** Commits that have not begun. */
  get waiting(): number {
    return this.queue.size;
  }

  /** Tries to write, with a lasting probe if the last commit failed. Throws if it fails. */
  async probe(): Promise<void> {
    await probeWriting(this.tools.db, this.failing !== undefined);
    this.failing = undefined;
  }

  /** Waits until everything in the queue has ended. */
  async drain(): Promise<void> {
    while (this.running) await this.finished;
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.queue.size > 0) {
      await this.gather();
      const taken = this.queue.take(BATCH_ENTRIES_MAX);
      this.tools.crashPoint("audit.taken");
      if (taken.length > 0) await this.settle(taken);
    }
    // In the same turn as the check of the queue, so that a commit that arrives now starts the next
    // run.
    this.running = false;
  }

  /** Waits while the queue grows: requests that have already arrived share the next batch. */
  private async gather(): Promise<void> {
    const until = systemClock.now() + GATHER_MS_MAX;
    let queued: number;
    do {
      queued = this.queue.size;
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.queue.size > queued && queued < BATCH_ENTRIES_MAX && systemClock.now() < until);
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

  private async settle(entries: readonly Waiting[]): Promise<void> {
    try {
      const written = await this.write(entries);
      this.failing = undefined;
      this.tools.crashPoint("audit.committed");
      for (const [i, entry] of entries.entries()) release(entry, written[i] as Written);
      this.tools.count({ result: "recorded" }, entries.length);
      this.tools.crashPoint("audit.released");
    } catch (error) {
      // What cannot be written must not block the others: a log, or a row that the database refuses.
      if (entries.length > 1 && !isBlamed(error)) {
        for (const entry of entries) await this.settle([entry]);
        return;
      }
      if (error instanceof DatabaseUnavailableError) this.failing = error;
      // One entry failed: the others run again without it.
      const failed =
        error instanceof EntryFailedError ? [entries[error.index] as Waiting] : entries;
      for (const { reject } of failed) reject(reasonOf(error));
      this.tools.count({ result: "failed" }, failed.length);
      const others = entries.filter((entry) => !failed.includes(entry));
      if (others.length > 0) await this.settle(others);
    }
  }

  private async write(entries: readonly Waiting[]): Promise<readonly Written[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.writeOnce(entries);
      } catch (error) {
        if (!(error instanceof HeadMovedError) || tries >= HEAD_TRIES_MAX) throw error;
      }
    }
  }

  private async writeOnce(entries: readonly Waiting[]): Promise<readonly Written[]> {
    const { db, grown } = this.tools;
    const batch = await this.tools.batchTools();
    let ready: WrittenBatch | undefined;
    try {
      await db.transaction(async (tx) => {
        ready = undefined;
        ready = await writeBatch(tx, entries, batch);
      });
    } catch (error) {
      // Nothing can be committed before the end of the body. After it, only the database knows.
      if (ready === undefined || !(await this.wasCommitted(entries, ready.firstRecordId)))
        throw error;
    }
    const done = ready as unknown as WrittenBatch;
    grown(done.heads);
    return done.written;
  }

  /**
   * Whether a batch is in the log although its commit got no answer. For the first log of a site
   * there is no head to lock, so the answer may be "no" although the commit still arrives.
   */
  private async wasCommitted(
    entries: readonly BatchEntry[],
    firstRecordId: string | undefined,
  ): Promise<boolean> {
    if (firstRecordId === undefined) return false;
    for (let tries = 1; ; tries++) {
      try {
        return await this.tools.db.transaction(async (tx) => {
          // A commit that is still running on the server has locked the head. This waits until it
          // ends.
          for (const { siteKeyHash } of entries) await lockOpenLog(tx, siteKeyHash);
          return recordExists(tx, firstRecordId);
        });
      } catch (error) {
        if (tries >= OUTCOME_TRIES_MAX) throw error;
        await pause(OUTCOME_RETRY_MS);
      }
    }
  }
}
