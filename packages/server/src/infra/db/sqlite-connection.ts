import Libsql from "libsql";
import {
  DatabaseConflictError,
  DatabaseUnavailableError,
  type NewRow,
  type Queries,
  type SqlValue,
} from "./database.js";

const STATEMENTS_MAX = 500;
/** Rows that one statement inserts, because the call is half of the cost of a row. */
const ROWS_PER_INSERT = 16;
/** Readers wait inside SQLite. A writer must not, because that would block the whole process. */
const READER_BUSY_MS = 5000;

type Statement = Libsql.Statement<unknown[]>;

/** libsql adds a `_metadata` member with timings to rows of `get`. */
function withoutMetadata(row: Record<string, unknown>): Record<string, unknown> {
  const { _metadata, ...columns } = row;
  return columns;
}

export function translateSqliteError(error: unknown): unknown {
  const code = String((error as { code?: unknown }).code ?? "");
  const message = error instanceof Error ? error.message : String(error);
  if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") {
    return new DatabaseConflictError(message, { cause: error });
  }
  if (/^SQLITE_(BUSY|LOCKED|IOERR|FULL|READONLY|CANTOPEN|CORRUPT|NOTADB)/.test(code)) {
    return new DatabaseUnavailableError(message, { cause: error });
  }
  return error;
}

/** One connection. Calls are synchronous inside, so a statement is never interleaved. */
export class SqliteConnection implements Queries {
  readonly raw: Libsql.Database;
  private readonly statements = new Map<string, Statement>();

  constructor(path: string) {
    this.raw = new Libsql(path);
    this.raw.pragma(`busy_timeout = ${READER_BUSY_MS}`);
    this.raw.pragma("foreign_keys = ON");
  }

  private prepare(sql: string): Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      if (this.statements.size >= STATEMENTS_MAX) this.statements.clear();
      statement = this.raw.prepare(sql) as Statement;
      this.statements.set(sql, statement);
    }
    return statement;
  }

  async all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    try {
      return this.prepare(sql).all(values) as Row[];
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async get<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined> {
    try {
      const row = this.prepare(sql).get(values) as Record<string, unknown> | undefined;
      return row === undefined ? undefined : (withoutMetadata(row) as Row);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    try {
      return this.prepare(sql).run(values).changes;
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async insert(table: string, rows: readonly NewRow[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first);
    const marks = `(${columns.map(() => "?").join(", ")})`;
    const into = `INSERT INTO ${table} (${columns.join(", ")}) VALUES `;
    const whole = rows.length - (rows.length % ROWS_PER_INSERT);
    try {
      for (let at = 0; at < rows.length; ) {
        const count = at < whole ? ROWS_PER_INSERT : 1;
        const statement = this.prepare(into + Array(count).fill(marks).join(", "));
        const values: SqlValue[] = [];
        for (const row of rows.slice(at, at + count)) {
          for (const column of columns) values.push(row[column] as SqlValue);
        }
        statement.run(values);
        at += count;
      }
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  exec(sql: string): void {
    try {
      this.raw.exec(sql);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }
}
