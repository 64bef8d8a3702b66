import type { Dialect, Transaction } from "./database.js";

/** Column types by database. Migrations are plain SQL with these words filled in. */
export interface SqlWords {
  readonly integer: string;
  readonly bytes: string;
  /** Closes a CREATE TABLE: SQLite then enforces column types as PostgreSQL does. */
  readonly strict: string;
  /** The same for a table whose rows are stored in the order of its primary key. */
  readonly clustered: string;
  /** Statements that make the database refuse to change or delete a table's rows. */
  appendOnly(table: string): string;
  /** A condition on `OLD`: only rows of an append-only table that meet it can be deleted. */
  deletableWhere(table: string, condition: string): string;
  /** For what the two databases do differently altogether. */
  readonly dialect: Dialect;
}

export interface Migration {
  readonly name: string;
  sql(words: SqlWords): string;
  /** Runs after `sql` in the same transaction, for changes that SQL cannot express. */
  fill?(tx: Transaction): Promise<void>;
}
