import type { NewRow, SqlValue } from "./database.js";
import type { SqliteStatement } from "./sqlite-driver.js";

/**
 * A prepared statement. Where it names its columns, rows come as lists of values and become objects here,
 * because an object that the driver makes takes twice as long. With `*` the driver makes them: SQLite may
 * return the columns in another order after another process has migrated the tables.
 */
export class PreparedStatement {
  private readonly statement: SqliteStatement;
  private readonly hasFixedColumns: boolean;
  /** Undefined until it is read, and where the driver makes objects. */
  private names: readonly string[] | undefined;

  constructor(statement: SqliteStatement, sql: string) {
    this.statement = statement;
    // Older versions of Node 22 know no lists.
    this.hasFixedColumns = !sql.includes("*") && typeof statement.setReturnArrays === "function";
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
    if (this.names !== undefined || !this.hasFixedColumns) return;
    this.statement.setReturnArrays(true);
    this.names = this.statement.columns().map(({ name }) => name);
  }

  private rowOf(row: unknown): NewRow {
    const values = row as readonly SqlValue[];
    const names = this.names as readonly string[];
    const object: Record<string, SqlValue> = {};
    for (let i = 0; i < names.length; i++) object[names[i] as string] = values[i] as SqlValue;
    return object;
  }
}
