/** A change that caches must know of. Topic `*` means that anything may have changed. */
export interface Change {
  readonly topic: string;
  readonly id: string;
}

export const ANY_CHANGE: Change = { topic: "*", id: "*" };

/**
 * Committed changes. The process that commits gets its own changes before its transaction returns; other
 * processes get them within a second.
 */
export class ChangeFeed {
  private readonly listeners = new Set<(change: Change) => void>();
  /** False while changes of other processes cannot arrive. Caches must then ask the database. */
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
  /**
   * As `get`; in a transaction, once: while nothing there changes its tables, the same values get the same
   * row. Not for rows that another process may change while the transaction waits for a lock.
   */
  getOnce<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined>;
  /** Finds a row by a unique key; in a transaction, once. */
  find<Row>(table: string, key: NewRow): Promise<Row | undefined>;
  /**
   * As `find`, for several rows whose keys differ in one column. In no order, without those that are not there.
   * `columns` are read outside a transaction; one reads whole rows.
   */
  findEach<Row>(
    table: string,
    key: NewRow,
    column: string,
    values: readonly string[],
    columns?: string,
  ): Promise<Row[]>;
  /** What a store remembers of a transaction while it lasts; outside one, nothing. */
  memory<T extends object>(Kind: new () => T): T;
  /** Returns the number of rows changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
}

/** A row to write, by column. */
export type NewRow = Readonly<Record<string, SqlValue>>;

/**
 * What a transaction will read: a row that it finds or holds by a key, or gets once by a statement; or something
 * that a store reads and remembers, by a name.
 */
export type ExpectedRead =
  | { readonly kind: "find"; readonly table: string; readonly key: NewRow }
  | {
      readonly kind: "hold";
      readonly table: string;
      readonly key: NewRow;
      readonly otherwise?: NewRow | undefined;
    }
  | { readonly kind: "get"; readonly sql: string; readonly values: readonly SqlValue[] }
  | { readonly kind: "remember"; readonly name: string; read(tx: Queries): Promise<unknown> };

export interface Transaction extends Queries {
  /** Reads rows and locks them until the transaction ends. */
  lock<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  /** Reads what will be read, all at once, where each read would wait for an answer. */
  prefetch(reads: readonly ExpectedRead[]): Promise<void>;
  /** Writes rows with the same columns, at the latest with the commit. Names are the code's own, never a caller's. */
  insert(table: string, rows: readonly NewRow[]): Promise<void>;
  /** Adds to the counters of a row, which is inserted if there is none. */
  add(table: string, key: NewRow, added: Readonly<Record<string, number>>): Promise<void>;
  /** Takes away from the counters of a row, if there is one. They do not fall below zero. */
  take(table: string, key: NewRow, taken: Readonly<Record<string, number>>): Promise<void>;
  /** Sets columns of the row with a key, at the latest with the commit. */
  set(table: string, key: NewRow, values: NewRow): Promise<void>;
  /** Reads and locks a row by its key, once. If there is none, it is inserted with the values `otherwise`. */
  hold(table: string, key: NewRow, otherwise?: NewRow): Promise<NewRow | undefined>;
  /** Writes everything that is still in memory. A unique constraint that refuses it throws here. */
  write(): Promise<void>;
  /** Announces a change to every process when this transaction commits. */
  announce(topic: string, id: string): void;
}

/** The interface to both databases. */
export interface Database extends Queries {
  readonly dialect: Dialect;
  readonly changes: ChangeFeed;
  /**
   * Commits when `body` returns, rolls back when it throws. SQLite runs one writer at a time, so a
   * transaction inside another would wait for itself until it times out.
   */
  transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * As `transaction`, for a few statements: on SQLite those that wait at the same time share a commit. All of
   * them wait until the last has run, so a body waits for nothing but its transaction.
   */
  shortTransaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Reads of one moment, even if something is written meanwhile. */
  snapshot<T>(body: (reader: Queries) => Promise<T>): Promise<T>;
  /** A table's own statement batch (migrations); not for values. */
  script(tx: Transaction, sql: string): Promise<void>;
  /** Throws if the database file was deleted or replaced since it was opened. */
  checkFile(): void;
  close(): Promise<void>;
}

/** Finds a row by a unique key. */
export function findRow<Row>(
  db: Pick<Queries, "get">,
  table: string,
  key: NewRow,
): Promise<Row | undefined> {
  return db.get(selectBy(table, key), ...Object.values(key));
}

/** The statement that selects a row by a key. */
export function selectBy(table: string, key: NewRow, columns = "*"): string {
  const where = Object.keys(key).map((column) => `${column} = ?`);
  return `SELECT ${columns} FROM ${table} WHERE ${where.join(" AND ")}`;
}

/** Values that one statement looks for. Few sizes, so that few statements are prepared. */
const SIZES = [1, 4, 16, 64];

/** Finds rows by keys that differ in one column. */
export function findEachRow<Row>(
  db: Pick<Queries, "all">,
  table: string,
  key: NewRow,
  column: string,
  values: readonly string[],
  columns?: string,
): Promise<Row[]> {
  const size = SIZES.find((one) => one >= values.length);
  if (size === undefined) throw new Error("too many rows are asked for at once");
  const marks = Array.from({ length: size }, () => "?").join(", ");
  // The last value fills the rest; a row is found once however often it is asked for.
  const padded = Array.from({ length: size }, (_, i) => values[i] ?? (values.at(-1) as string));
  const sql = `${selectBy(table, key, columns)} AND ${column} IN (${marks})`;
  return db.all(sql, ...Object.values(key), ...padded);
}

/** Queries outside a transaction, which remember nothing. */
export abstract class PlainQueries implements Queries {
  abstract all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  abstract get<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined>;
  abstract run(sql: string, ...values: SqlValue[]): Promise<number>;

  getOnce<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined> {
    return this.get(sql, ...values);
  }

  find<Row>(table: string, key: NewRow): Promise<Row | undefined> {
    return findRow(this, table, key);
  }

  async findEach<Row>(
    table: string,
    key: NewRow,
    column: string,
    values: readonly string[],
    columns?: string,
  ): Promise<Row[]> {
    return values.length === 0 ? [] : findEachRow<Row>(this, table, key, column, values, columns);
  }

  memory<T extends object>(Kind: new () => T): T {
    return new Kind();
  }
}

/** Throws unless the database answers. */
export async function pingDatabase(db: Queries): Promise<void> {
  await db.get("SELECT 1 AS one");
}

/** What must be done about a failure that does not end by itself. */
export interface Advice {
  /** What is wrong, for every caller. */
  readonly fault: string;
  /** What an operator must do, for callers of the admin API. */
  readonly remedy: string;
  /** The page about it, below `/docs/`. */
  readonly page: string;
}

/** A check cannot complete now, so nothing is approved: callers are answered `unavailable`. */
export class UnavailableError extends Error {
  override readonly name: string = "UnavailableError";
  /** Undefined if waiting may help. */
  readonly advice: Advice | undefined;
}

/** The database cannot be used now: it is unreachable, overloaded, shutting down or out of space. */
export class DatabaseUnavailableError extends UnavailableError {
  override readonly name: string = "DatabaseUnavailableError";
}

/** A unique constraint refused the write. */
export class DatabaseConflictError extends Error {
  override readonly name = "DatabaseConflictError";
}
