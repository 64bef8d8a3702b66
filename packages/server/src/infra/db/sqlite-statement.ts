import type { NewRow, SqlValue } from "./database.js";
import type { SqliteStatement } from "./sqlite-driver.js";

/**
 * A prepared statement. Rows come as lists of values and become objects here, because an object that the
 * driver makes takes twice as long. Older versions of Node 22 know no lists, and make the objects.
 */
export class PreparedStatement {
  private readonly statement: SqliteStatement;
  /** The names of its columns, once it was read; undefined where the driver makes objects. */
  private names: readonly string[] | undefined;
  private isRead = false;

  constructor(statement: SqliteStatement) {
    this.statement = statement;
  }

  all(values: readonly SqlValue[]): NewRow[] {
    this.prepareRows();
    const rows = this.statement.all(...values) as unknown[];
    return this.names === undefined ? (rows as NewRow[]) : rows.map((row) => this.rowOf(row));
  }

  get(values: readonly SqlValue[]): NewRow | undefined {
    this.prepareRows();
    const row = this.statement.get(...values) as unknown;
    return this.names === undefined || row === undefined ? (row as NewRow) : this.rowOf(row);
  }

  /** Returns the number of rows changed. */
  run(values: readonly SqlValue[]): number {
    return Number(this.statement.run(...values).changes);
  }

  private prepareRows(): void {
    if (this.isRead) return;
    this.isRead = true;
    if (typeof this.statement.setReturnArrays !== "function") return;
    this.statement.setReturnArrays(true);
    this.readNames();
  }

  private readNames(): readonly string[] {
    this.names = this.statement.columns().map(({ name }) => name);
    return this.names;
  }

  private rowOf(row: unknown): NewRow {
    const values = row as readonly SqlValue[];
    let names = this.names as readonly string[];
    // A table may have got a column since.
    if (names.length !== values.length) names = this.readNames();
    const object: Record<string, SqlValue> = {};
    for (let i = 0; i < names.length; i++) object[names[i] as string] = values[i] as SqlValue;
    return object;
  }
}
