import { closeSync, openSync, statSync } from "node:fs";
import { pause, systemClock } from "../clock.js";
import {
  ANY_CHANGE,
  type Change,
  ChangeFeed,
  type Database,
  DatabaseUnavailableError,
  PlainQueries,
  type Queries,
  type SqlValue,
  type Transaction,
} from "./database.js";
import { SqliteConnection, translateSqliteError } from "./sqlite-connection.js";
import { sqliteFault } from "./sqlite-driver.js";
import { WorkingSet } from "./working-set.js";

const WRITERS_WAITING_MAX = 10_000;
const WRITER_RETRY_MS = 5;
/** How long a writer waits for the write lock, including the wait for others in this process. */
const WRITER_WAIT_MS_MAX = 5000;
/**
 * How often commits of other processes are looked for, so that changes show within a second. Uses the real
 * time even if a test sets the clock, because other processes are real.
 */
const CHANGE_POLL_MS = 250;

function isBusy(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && sqliteFault(error.cause) === "busy";
}

/** Takes the write lock, waiting outside SQLite while another process holds it. */
async function beginWriting(writer: SqliteConnection, deadline: number): Promise<void> {
  for (;;) {
    if (systemClock.now() > deadline) throw new DatabaseUnavailableError("the database is busy");
    try {
      return writer.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (!isBusy(error)) throw error;
      await pause(WRITER_RETRY_MS);
    }
  }
}

/** Identifies a file by device and inode; undefined if it does not exist. */
function fileId(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** SQLite in one file: one writing connection used by one transaction at a time, one reading. */
class SqliteDatabase extends PlainQueries implements Database {
  readonly dialect = "sqlite";
  readonly changes = new ChangeFeed();
  private readonly path: string;
  /** The file that was opened. */
  private readonly file: string | undefined;
  private readonly writer: SqliteConnection;
  private readonly reader: SqliteConnection;
  private lastWriter: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private closed: Promise<void> | undefined;
  private readonly stopPolling: () => void;

  constructor(path: string) {
    super();
    this.path = path;
    this.writer = new SqliteConnection(path);
    this.writer.exec("PRAGMA journal_mode = WAL");
    // From here on it does not wait inside SQLite, because that would block the whole process.
    this.writer.exec("PRAGMA busy_timeout = 0");
    // A commit that was answered must survive a power cut, so every one is synced.
    this.writer.exec("PRAGMA synchronous = FULL");
    this.reader = new SqliteConnection(path);
    this.file = fileId(path);
    this.stopPolling = this.pollChanges();
  }

  all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    return this.reader.all(sql, ...values);
  }

  get<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined> {
    return this.reader.get(sql, ...values);
  }

  run(sql: string, ...values: SqlValue[]): Promise<number> {
    return this.transaction((tx) => tx.run(sql, ...values));
  }

  async transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.waiting >= WRITERS_WAITING_MAX) {
      throw new DatabaseUnavailableError("too many transactions are waiting");
    }
    this.waiting++;
    const deadline = systemClock.now() + WRITER_WAIT_MS_MAX;
    let begun = false;
    const turn = this.lastWriter.then(() => {
      begun = true;
      return this.inTransaction(body, deadline);
    });
    this.lastWriter = turn.catch(() => undefined);
    // After this rejection the body never runs, because its deadline has passed.
    const late = new Promise<never>((_, reject) => {
      const cancel = systemClock.after(WRITER_WAIT_MS_MAX + 1, () => {
        if (!begun) reject(new DatabaseUnavailableError("the database is busy"));
      });
      turn.catch(() => undefined).finally(cancel);
    });
    try {
      return await Promise.race([turn, late]);
    } finally {
      this.waiting--;
    }
  }

  private async inTransaction<T>(
    body: (tx: Transaction) => Promise<T>,
    deadline: number,
  ): Promise<T> {
    const announced: Change[] = [];
    const { writer } = this;
    const tx = new WorkingSet({
      all: (sql, ...values) => writer.all(sql, ...values),
      get: (sql, ...values) => writer.get(sql, ...values),
      run: (sql, ...values) => writer.run(sql, ...values),
      // The only writer has locked everything already.
      lock: (sql, ...values) => writer.all(sql, ...values),
      insert: (table, rows, conflict) => writer.insert(table, rows, conflict),
      update: (...change) => writer.update(...change),
      announce: async (changes) => {
        announced.push(...changes);
      },
    });
    await beginWriting(writer, deadline);
    let result: T;
    try {
      result = await body(tx);
      await tx.write();
      writer.exec("COMMIT");
    } catch (error) {
      if (writer.raw.isTransaction) writer.exec("ROLLBACK");
      throw error;
    }
    for (const change of announced) this.changes.emit(change);
    return result;
  }

  async snapshot<T>(body: (reader: Queries) => Promise<T>): Promise<T> {
    const reader = new SqliteConnection(this.path);
    try {
      reader.exec("BEGIN");
      return await body(reader);
    } finally {
      if (reader.raw.isTransaction) reader.exec("ROLLBACK");
      reader.raw.close();
    }
  }

  async script(_tx: Transaction, sql: string): Promise<void> {
    this.writer.exec(sql);
  }

  /** `data_version` changes when another connection commits, and not with the writer's own commits. */
  private pollChanges(): () => void {
    const version = () =>
      (this.writer.raw.prepare("PRAGMA data_version").get() as { data_version: number })
        .data_version;
    let seen = version();
    let cancel = () => {};
    const poll = () => {
      try {
        const now = version();
        if (now !== seen) this.changes.emit(ANY_CHANGE);
        seen = now;
        this.changes.live = true;
      } catch {
        // The file cannot be read now, so caches must not trust their content.
        this.changes.live = false;
      }
      cancel = systemClock.after(CHANGE_POLL_MS, poll);
    };
    cancel = systemClock.after(CHANGE_POLL_MS, poll);
    return () => cancel();
  }

  /** SQLite keeps writing to a file that was deleted or replaced, and those writes are lost. */
  checkFile(): void {
    if (fileId(this.path) === this.file) return;
    throw new DatabaseUnavailableError("the database file was deleted or replaced");
  }

  close(): Promise<void> {
    this.closed ??= this.closeOnce();
    return this.closed;
  }

  private async closeOnce(): Promise<void> {
    this.stopPolling();
    await this.lastWriter;
    this.reader.raw.close();
    // Writes everything into the one file, so that it can be copied; another process may prevent that.
    this.writer.raw.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    this.writer.raw.close();
  }
}

export function openSqlite(path: string): Database {
  try {
    // SQLite would make the file readable for everyone. Its -wal and -shm files get the same mode.
    closeSync(openSync(path, "a", 0o600));
    return new SqliteDatabase(path);
  } catch (error) {
    throw translateSqliteError(error);
  }
}

/** Copies a live SQLite file, consistently, to a path that must not exist. */
export function copySqlite(from: string, to: string): void {
  const source = new SqliteConnection(from);
  try {
    source.raw.prepare("VACUUM INTO ?").run(to);
  } finally {
    source.raw.close();
  }
}
