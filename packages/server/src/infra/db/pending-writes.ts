import type { Change, NewRow, SqlValue } from "./database.js";
import type { ChangeKind, RawTransaction } from "./raw-transaction.js";

/** One text for some values, which no other values have. Making JSON of them would take longer. */
export function textOf(values: readonly unknown[]): string {
  let text = "";
  for (const value of values) {
    const own = String(value);
    text += typeof value === "string" ? `"${own.length} ${own}` : `${own} `;
  }
  return text;
}

export const areSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, i) => text === other[i]);

interface ChangedRow {
  readonly key: NewRow;
  readonly values: Record<string, SqlValue>;
}

/** Changes of one kind to the same columns of one table. */
interface Changes {
  readonly kind: ChangeKind;
  readonly table: string;
  readonly key: readonly string[];
  readonly rows: Map<string, ChangedRow>;
}

const ORDER: readonly ChangeKind[] = ["add", "take", "set"];

function merge({ values }: ChangedRow, kind: ChangeKind, more: NewRow): void {
  for (const column in more) {
    const value = more[column] as SqlValue;
    values[column] = kind === "set" ? value : Number(values[column]) + Number(value);
  }
}

/** Everything that a transaction has not written yet. */
export class PendingWrites {
  /** Inserted rows by table, in the order of their first insert. */
  private readonly inserted = new Map<string, NewRow[]>();
  private readonly changes = new Map<string, Changes>();
  private readonly announced = new Map<string, Change>();

  has(table: string): boolean {
    if (this.inserted.has(table)) return true;
    for (const changes of this.changes.values()) if (changes.table === table) return true;
    return false;
  }

  /** Whether a row has changes. Where that is not known, because they are by another key, it may have. */
  mayHaveChanged(table: string, key: NewRow): boolean {
    for (const changes of this.changes.values()) {
      if (changes.table !== table) continue;
      if (!areSame(changes.key, Object.keys(key))) return true;
      if (changes.rows.has(textOf(Object.values(key)))) return true;
    }
    return false;
  }

  insertedInto(table: string): readonly NewRow[] {
    return this.inserted.get(table) ?? [];
  }

  /** False if what is pending must be written first: one statement inserts rows with the same columns. */
  insert(table: string, rows: readonly NewRow[]): boolean {
    const pending = this.inserted.get(table);
    if (pending === undefined) {
      this.inserted.set(table, [...rows]);
      return true;
    }
    const [one, other] = [pending[0] as NewRow, rows[0] as NewRow];
    if (!areSame(Object.keys(one), Object.keys(other))) return false;
    pending.push(...rows);
    return true;
  }

  /** False if what is pending must be written first: other columns of the same row were set before. */
  change(kind: ChangeKind, table: string, key: NewRow, values: NewRow): boolean {
    const group = `${kind} ${table} ${Object.keys(key)} ${Object.keys(values)}`;
    const name = textOf(Object.values(key));
    let changes = this.changes.get(group);
    if (kind === "set" && this.isSetElsewhere(changes, table, name)) return false;
    if (changes === undefined) {
      changes = { kind, table, key: Object.keys(key), rows: new Map() };
      this.changes.set(group, changes);
    }
    const row = changes.rows.get(name);
    if (row === undefined) changes.rows.set(name, { key, values: { ...values } });
    else merge(row, kind, values);
    return true;
  }

  private isSetElsewhere(own: Changes | undefined, table: string, name: string): boolean {
    for (const other of this.changes.values()) {
      if (other === own || other.kind !== "set" || other.table !== table) continue;
      if (other.rows.has(name)) return true;
    }
    return false;
  }

  announce(change: Change): void {
    this.announced.set(textOf([change.topic, change.id]), change);
  }

  /** Writes everything, without waiting for one statement before the next. */
  write(raw: RawTransaction): Promise<void>[] {
    const statements = [...this.inserted].map(([table, rows]) => raw.insert(table, rows));
    this.inserted.clear();
    const groups = [...this.changes.values()];
    this.changes.clear();
    for (const kind of ORDER) {
      for (const group of groups)
        if (group.kind === kind) statements.push(writeChanges(raw, group));
    }
    if (this.announced.size > 0) statements.push(raw.announce([...this.announced.values()]));
    this.announced.clear();
    return statements;
  }
}

/** All transactions change the rows of a table in the same order, so that two of them do not deadlock. */
function writeChanges(raw: RawTransaction, { kind, table, key, rows }: Changes): Promise<void> {
  const inOrder = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const [first] = inOrder as [ChangedRow];
  const columns = Object.keys(first.values);
  const written = inOrder.map((row) => Object.assign({}, row.key, row.values));
  if (kind !== "add") return raw.update(kind, table, { key, columns }, written);
  const sums = columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`);
  return raw.insert(
    table,
    written,
    `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${sums.join(", ")}`,
  );
}
