import { closeSync, openSync, statSync } from "node:fs";
import { systemClock } from "../clock.js";
import {
  ANY_CHANGE,
  ChangeFeed,
  type Database,
  DatabaseUnavailableError,
  PlainQueries,
  type Queries,
  type SqlValue,
  type Transaction,
} from "./database.js";
import { SqliteConnection, translateSqliteError } from "./sqlite-connection.js";
import { SqliteWriter } from "./sqlite-writer.js";

/**
 * How often commits of other processes are looked for, so that changes show within a second. Uses the real
 * time even if a test sets the clock, because other processes are real.
 */
const CHANGE_POLL_MS = 250;

/** Identifies a file by device and inode; undefined if it does not exist. */
function fileId(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/** SQLite in one file: one connection that writes, one that reads. */
class SqliteDatabase extends PlainQueries implements Database {
  readonly dialect = "sqlite";
  readonly changes = new ChangeFeed();
  private readonly path: string;
  /** The file that was opened. */
  private readonly file: string | undefined;
  private readonly writer: SqliteConnection;
  private readonly turns: SqliteWriter;
  private readonly reader: SqliteConnection;
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
    this.turns = new SqliteWriter(this.writer, (change) => this.changes.emit(change));
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
    return this.shortTransaction((tx) => tx.run(sql, ...values));
  }

  transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.turns.transaction(body, false);
  }

  shortTransaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.turns.transaction(body, true);
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
    await this.turns.drain();
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
