import type { NewRow } from "./database.js";
import { areSame, textOf } from "./pending-writes.js";
import type { ChangeKind } from "./raw-transaction.js";

export const nameOf = (columns: readonly string[], row: NewRow): string =>
  textOf(columns.map((column) => row[column]));

/** Rows of a table by one unique key. */
export interface RowsByKey {
  readonly columns: readonly string[];
  /** Undefined if there is no such row. */
  readonly rows: Map<string, NewRow | undefined>;
  /** Names of rows that are locked. */
  readonly held: Set<string>;
  /** Names of inserted rows that are still in memory. */
  readonly unwritten: Set<string>;
}

/** What a transaction knows of rows that it has read, with everything that it has changed since. */
export class KnownRows {
  private readonly byTable = new Map<string, RowsByKey[]>();

  /** The known rows of a table by these columns. `inserted`: rows that are still in memory. */
  by(table: string, columns: readonly string[], inserted: readonly NewRow[]): RowsByKey {
    const all = this.of(table);
    const known = all.find((one) => areSame(one.columns, columns));
    if (known !== undefined) return known;
    const unwritten = new Set(inserted.map((row) => nameOf(columns, row)));
    const added = { columns, rows: new Map(), held: new Set<string>(), unwritten };
    this.byTable.set(table, [...all, added]);
    return added;
  }

  private of(table: string): readonly RowsByKey[] {
    return this.byTable.get(table) ?? [];
  }

  drop(table: string): void {
    this.byTable.delete(table);
  }

  inserted(table: string, rows: readonly NewRow[]): void {
    for (const known of this.of(table)) {
      for (const row of rows) {
        const name = nameOf(known.columns, row);
        known.rows.delete(name);
        known.held.delete(name);
        known.unwritten.add(name);
      }
    }
  }

  written(): void {
    for (const all of this.byTable.values()) for (const known of all) known.unwritten.clear();
  }

  /** Keeps rows whose new values are known. If it is unclear which row changed, the whole table is forgotten. */
  changed(kind: ChangeKind, table: string, key: NewRow, values: NewRow): void {
    const all = this.of(table);
    if (all.length === 0) return;
    const columns = Object.keys(key);
    const own = all.find((known) => areSame(known.columns, columns));
    const name = nameOf(columns, key);
    const row = own?.rows.get(name);
    const isOnlyOwn = own !== undefined && all.length === 1;
    if (kind === "set" && row !== undefined) {
      const changed = Object.assign({}, row, values);
      for (const { columns: by, rows } of all) {
        const known = nameOf(by, row);
        if (rows.has(known)) rows.set(known, changed);
      }
    } else if (isOnlyOwn) {
      own.rows.delete(name);
      own.held.delete(name);
    } else {
      this.drop(table);
    }
  }
}
