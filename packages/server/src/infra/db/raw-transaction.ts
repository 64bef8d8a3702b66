import type { Change, NewRow, Transaction } from "./database.js";

/** What happens to columns of rows: values are added, taken away down to zero, or replaced. */
export type ChangeKind = "add" | "take" | "set";

/** The columns of a key, and those that change. */
export interface ChangedColumns {
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

/** What a database does in a transaction. Statements run in the order in which they are called. */
export interface RawTransaction extends Pick<Transaction, "all" | "get" | "run" | "lock"> {
  /** Writes rows with the same columns. `conflict`: what to do with rows that are there already. */
  insert(table: string, rows: readonly NewRow[], conflict?: string): Promise<void>;
  /** Changes columns of rows by their keys. Rows that do not exist are left out. */
  update(
    kind: Exclude<ChangeKind, "add">,
    table: string,
    names: ChangedColumns,
    rows: readonly NewRow[],
  ): Promise<void>;
  /** The rows with these keys, where one statement for all costs less than one for each. With `lock` they are locked, in sorted order. */
  findMany?(table: string, keys: readonly NewRow[], lock?: "lock"): Promise<NewRow[]>;
  announce(changes: readonly Change[]): Promise<void>;
}
