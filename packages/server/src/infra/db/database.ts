import { UnavailableError } from "../unavailable-error.js";

/** Something a cache may hold has changed. Topic `*` means: anything may have. */
export interface Change {
  readonly topic: string;
  readonly id: string;
}

export const ANY_CHANGE: Change = { topic: "*", id: "*" };

/**
 * News of committed changes. The process that commits hears of its own changes before its
 * transaction returns; other processes within a second.
 */
export class ChangeFeed {
  private readonly listeners = new Set<(change: Change) => void>();
  /** False while news from other processes cannot arrive: caches must then ask the database. */
  live = true;

  subscribe(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}

export type SqlValue = string | number | null | Uint8Array;
export type Dialect = "sqlite" | "postgres";

/** SQL with `?` for parameters; each text is prepared once per connection. */
export interface Queries {
  all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  get<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined>;
  /** Returns the number of rows changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
}

/** A row to write, by column. */
export type NewRow = Readonly<Record<string, SqlValue>>;

export interface Transaction extends Queries {
  /** Reads rows and holds them until the transaction ends: whoever comes later waits. */
  lock<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  /** Writes rows with the same columns at once. Names are the code's own, never a caller's. */
  insert(table: string, rows: readonly NewRow[]): Promise<void>;
  /** Tells every process of a change, if and when this transaction commits. */
  announce(topic: string, id: string): Promise<void>;
}

/** The one seam between the product and its database. */
export interface Database extends Queries {
  readonly dialect: Dialect;
  readonly changes: ChangeFeed;
  /**
   * Commits when `body` returns, rolls back when it throws. Writers on SQLite go one by one, so
   * one begun inside another would wait for itself, and end as busy.
   */
  transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Reads of one moment, however long they take and whatever is written meanwhile. */
  snapshot<T>(body: (reader: Queries) => Promise<T>): Promise<T>;
  /** A table's own statement batch (migrations); not for values. */
  script(tx: Transaction, sql: string): Promise<void>;
  /** Throws if the database file was deleted or replaced since it was opened. */
  checkFile(): void;
  close(): Promise<void>;
}

/** Throws unless the database answers. */
export async function pingDatabase(db: Queries): Promise<void> {
  await db.get("SELECT 1 AS one");
}

/** The database cannot be asked now: unreachable, overloaded, shutting down or out of room. */
export class DatabaseUnavailableError extends UnavailableError {
  override readonly name: string = "DatabaseUnavailableError";
}

/** A unique constraint refused the write. */
export class DatabaseConflictError extends Error {
  override readonly name = "DatabaseConflictError";
}
