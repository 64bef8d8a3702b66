import {
  DatabaseConflictError,
  DatabaseUnavailableError,
  type NewRow,
  PlainQueries,
  type SqlValue,
} from "./database.js";
import type { ChangedColumns } from "./raw-transaction.js";
import { openSqliteFile, type SqliteFile, sqliteFault } from "./sqlite-driver.js";
import { PreparedStatement } from "./sqlite-statement.js";

const STATEMENTS_MAX = 500;
/** Rows that one statement inserts, because the call is half of the cost of a row. */
const ROWS_PER_INSERT = 16;
/** How long a statement waits, inside SQLite, while another process writes. */
const BUSY_MS = 5000;

export function translateSqliteError(error: unknown): unknown {
  const fault = sqliteFault(error);
  if (fault === undefined) return error;
  const { message } = error as Error;
  if (fault === "conflict") return new DatabaseConflictError(message, { cause: error });
  return new DatabaseUnavailableError(message, { cause: error });
}

/** One connection. Calls are synchronous inside, so a statement is never interleaved. */
export class SqliteConnection extends PlainQueries {
  readonly raw: SqliteFile;
  private readonly statements = new Map<string, PreparedStatement>();

  constructor(path: string) {
    super();
    this.raw = openSqliteFile(path, BUSY_MS);
  }

  private prepare(sql: string): PreparedStatement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      if (this.statements.size >= STATEMENTS_MAX) this.statements.clear();
      statement = new PreparedStatement(this.raw.prepare(sql), sql);
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
      return this.prepare(sql).get(values) as Row | undefined;
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    try {
      return this.prepare(sql).run(values);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async insert(table: string, rows: readonly NewRow[], conflict = ""): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first);
    const marks = `(${columns.map(() => "?").join(", ")})`;
    const into = `INSERT INTO ${table} (${columns.join(", ")}) VALUES `;
    const whole = rows.length - (rows.length % ROWS_PER_INSERT);
    try {
      for (let at = 0; at < rows.length; ) {
        const count = at < whole ? ROWS_PER_INSERT : 1;
        const statement = this.prepare(`${into}${Array(count).fill(marks).join(", ")} ${conflict}`);
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

  async update(
    kind: "set" | "take",
    table: string,
    { key, columns }: ChangedColumns,
    rows: readonly NewRow[],
  ): Promise<void> {
    const assigned = columns.map((column) =>
      kind === "set" ? `${column} = ?` : `${column} = MAX(0, ${column} - ?)`,
    );
    const where = key.map((column) => `${column} = ?`).join(" AND ");
    try {
      const statement = this.prepare(`UPDATE ${table} SET ${assigned.join(", ")} WHERE ${where}`);
      for (const row of rows) {
        statement.run([...columns, ...key].map((column) => row[column] as SqlValue));
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
