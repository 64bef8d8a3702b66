import { pause } from "../../infra/clock.js";
import {
  type Database,
  DatabaseUnavailableError,
  UnavailableError,
} from "../../infra/db/database.js";
import {
  type BatchEntry,
  type BatchTools,
  EntryFailedError,
  type Written,
  type WrittenBatch,
  writeBatch,
} from "./batch.js";
import { AuditUnavailableError, HeadMovedError, type LogHead } from "./log.js";
import { recordExists } from "./records/store.js";
import { lockOpenLog } from "./store.js";

/** Another process may move the head first a few times in a row, but not for ever. */
const HEAD_TRIES_MAX = 5;
/**
 * After a lost connection: how often the database is asked whether it committed, and the time
 * between.
 */
const OUTCOME_TRIES_MAX = 10;
const OUTCOME_RETRY_MS = 200;

/** A commit whose caller waits for its result. */
export interface PendingCommit extends BatchEntry {
  readonly queuedAt: number;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

export interface SettlerTools {
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
function release({ resolve, reject }: PendingCommit, { after, answer, recordIds }: Written): void {
  try {
    after?.();
    resolve({ answer, recordIds });
  } catch (error) {
    // The record is written. The caller retries and finds it; the other commits are not affected.
    reject(error);
  }
}

/** Writes batches and releases their answers. Nothing is released before it is durable. */
export class BatchSettler {
  private readonly tools: SettlerTools;
  /** Why the last write failed; undefined after a successful one. */
  failing: unknown;

  constructor(tools: SettlerTools) {
    this.tools = tools;
  }

  /** Every entry is resolved or rejected. Does not throw. */
  async settle(entries: readonly PendingCommit[]): Promise<void> {
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
        error instanceof EntryFailedError ? [entries[error.index] as PendingCommit] : entries;
      for (const { reject } of failed) reject(reasonOf(error));
      this.tools.count({ result: "failed" }, failed.length);
      const others = entries.filter((entry) => !failed.includes(entry));
      if (others.length > 0) await this.settle(others);
    }
  }

  private async write(entries: readonly PendingCommit[]): Promise<readonly Written[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.writeOnce(entries);
      } catch (error) {
        if (!(error instanceof HeadMovedError) || tries >= HEAD_TRIES_MAX) throw error;
      }
    }
  }

  private async writeOnce(entries: readonly PendingCommit[]): Promise<readonly Written[]> {
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
