import { pause, systemClock } from "../clock.js";
import { type Change, DatabaseUnavailableError, type Transaction } from "./database.js";
import type { SqliteConnection } from "./sqlite-connection.js";
import { sqliteFault } from "./sqlite-driver.js";
import { WorkingSet } from "./working-set.js";

const WRITERS_WAITING_MAX = 10_000;
const WRITER_RETRY_MS = 5;
/** How long a writer waits for the write lock, including the wait for others in this process. */
const WRITER_WAIT_MS_MAX = 5000;
/** Short transactions that share a commit. */
const SHARED_MAX = 64;
/** After this time no further one joins: the first waits for the commit until the last has run. */
const SHARED_MS_MAX = 5;

const ENDED = "the database has ended the transaction";

/** A transaction that waits for its turn, or has it. */
interface Turn {
  readonly isShort: boolean;
  readonly deadline: number;
  body(tx: Transaction): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What became of the body of a turn. Nothing is durable yet. */
type Ended =
  | { readonly ok: true; readonly turn: Turn; readonly result: unknown; announced: Change[] }
  | { readonly ok: false; readonly turn: Turn; readonly error: unknown };

function isBusy(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && sqliteFault(error.cause) === "busy";
}

/**
 * The one writing connection of a file, used by one transaction at a time. Short transactions that wait at
 * the same time share one commit and its sync to disk, each in its own savepoint: one that fails leaves
 * nothing and affects no other, and results are released only after the commit.
 */
export class SqliteWriter {
  private readonly connection: SqliteConnection;
  private readonly announce: (change: Change) => void;
  private readonly queue: Turn[] = [];
  private running: Promise<void> | undefined;
  private cancelSweep: (() => void) | undefined;

  constructor(connection: SqliteConnection, announce: (change: Change) => void) {
    this.connection = connection;
    this.announce = announce;
  }

  transaction<T>(body: (tx: Transaction) => Promise<T>, isShort: boolean): Promise<T> {
    if (this.queue.length >= WRITERS_WAITING_MAX) {
      return Promise.reject(new DatabaseUnavailableError("too many transactions are waiting"));
    }
    return new Promise<T>((resolve, reject) => {
      const deadline = systemClock.now() + WRITER_WAIT_MS_MAX;
      this.queue.push({ isShort, deadline, body, resolve: resolve as never, reject });
      this.sweepLater();
      this.running ??= this.run();
    });
  }

  /** Waits until nothing is written any more. */
  async drain(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async run(): Promise<void> {
    // What is asked for in the same turn of the event loop can share a commit.
    await undefined;
    try {
      for (let turn = this.queue.shift(); turn !== undefined; turn = this.queue.shift()) {
        await this.write(turn);
      }
    } finally {
      this.running = undefined;
    }
  }

  /** Refuses transactions that have waited too long behind one that does not end. */
  private sweepLater(): void {
    const [first] = this.queue;
    if (this.cancelSweep !== undefined || first === undefined) return;
    this.cancelSweep = systemClock.after(first.deadline + 1 - systemClock.now(), () => {
      this.cancelSweep = undefined;
      const now = systemClock.now();
      while ((this.queue[0]?.deadline ?? now) < now) {
        this.queue.shift()?.reject(new DatabaseUnavailableError("the database is busy"));
      }
      this.sweepLater();
    });
  }

  /** Takes the write lock, waiting outside SQLite while another process holds it. */
  private async begin(deadline: number): Promise<void> {
    for (;;) {
      if (systemClock.now() > deadline) throw new DatabaseUnavailableError("the database is busy");
      try {
        return this.connection.exec("BEGIN IMMEDIATE");
      } catch (error) {
        if (!isBusy(error)) throw error;
        await pause(WRITER_RETRY_MS);
      }
    }
  }

  private async write(first: Turn): Promise<void> {
    try {
      await this.begin(first.deadline);
    } catch (error) {
      return first.reject(error);
    }
    const ended = await this.runBodies(first);
    const fault = ended.some(({ ok }) => ok) ? this.commit() : this.rollBack();
    this.announceAll(fault === undefined ? ended : []);
    let followsSuccess = false;
    for (const one of ended) {
      followsSuccess ||= one.ok;
      // A body that ran after a successful one saw its rows, which do not exist if the commit failed.
      if (fault !== undefined && followsSuccess) one.turn.reject(fault);
      else if (one.ok) one.turn.resolve(one.result);
      else one.turn.reject(one.error);
    }
  }

  /** Commits, or returns the error; then nothing is written. */
  private commit(): unknown {
    try {
      if (!this.connection.raw.isTransaction) throw new DatabaseUnavailableError(ENDED);
      this.connection.exec("COMMIT");
      return undefined;
    } catch (error) {
      this.rollBack();
      return error;
    }
  }

  /** A subscriber that throws must not keep callers from their results, which are committed. */
  private announceAll(ended: readonly Ended[]): void {
    for (const change of ended.flatMap((one) => (one.ok ? one.announced : []))) {
      try {
        this.announce(change);
      } catch (error) {
        // Outside this loop it is reported as an uncaught error.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** Rolls back, or returns the error. SQLite may have rolled back itself, for example when the disk was full. */
  private rollBack(): unknown {
    try {
      if (this.connection.raw.isTransaction) this.connection.exec("ROLLBACK");
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Runs the first body, and those of further short transactions that wait. */
  private async runBodies(first: Turn): Promise<Ended[]> {
    const until = systemClock.now() + SHARED_MS_MAX;
    const ended = [await this.runBody(first)];
    const canJoin = () =>
      ended.every(({ ok }) => ok) &&
      this.connection.raw.isTransaction &&
      ended.length < SHARED_MAX &&
      this.queue[0]?.isShort === true &&
      systemClock.now() < until;
    if (!first.isShort) return ended;
    while (canJoin()) ended.push(await this.inSavepoint(this.queue.shift() as Turn));
    return ended;
  }

  private async inSavepoint(turn: Turn): Promise<Ended> {
    const { connection } = this;
    try {
      connection.exec("SAVEPOINT turn");
      const ended = await this.runBody(turn);
      if (connection.raw.isTransaction) {
        connection.exec(ended.ok ? "RELEASE turn" : "ROLLBACK TO turn; RELEASE turn");
      }
      return ended;
    } catch (error) {
      // It is unknown what is left of this one, so nothing of the others is committed either.
      this.rollBack();
      return { ok: false, turn, error };
    }
  }

  /**
   * When the disk is full, SQLite may end the whole transaction. Later statements of the body would then be
   * committed one by one, so they are refused. Statements after the end of the body are refused too.
   */
  private async runBody(turn: Turn): Promise<Ended> {
    const { connection } = this;
    const announced: Change[] = [];
    let isOver = false;
    const during =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      (...args: A): Promise<R> =>
        isOver || !connection.raw.isTransaction
          ? Promise.reject(new DatabaseUnavailableError(ENDED))
          : call.apply(connection, args);
    const all = during(connection.all) as SqliteConnection["all"];
    const tx = new WorkingSet({
      all,
      get: during(connection.get) as SqliteConnection["get"],
      run: during(connection.run),
      // The only writer has locked everything already.
      lock: all,
      insert: during(connection.insert),
      update: during(connection.update),
      announce: async (changes) => {
        announced.push(...changes);
      },
    });
    try {
      const result = await turn.body(tx);
      await tx.write();
      return { ok: true, turn, result, announced };
    } catch (error) {
      return { ok: false, turn, error };
    } finally {
      isOver = true;
    }
  }
}
