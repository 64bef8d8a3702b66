import {
  type ExpectedRead,
  findEachRow,
  findRow,
  type NewRow,
  type SqlValue,
  selectBy,
  type Transaction,
} from "./database.js";
import { KnownRows, nameOf, type RowsByKey } from "./known-rows.js";
import { PendingWrites, textOf } from "./pending-writes.js";
import type { ChangeKind, RawTransaction } from "./raw-transaction.js";

/** A row to read; for one that is to be held, what to insert if there is none. */
interface WantedRow {
  readonly table: string;
  readonly key: NewRow;
  readonly otherwise?: NewRow | undefined;
}

/** Groups rows by their table and the columns of their key. */
function addTo(groups: Map<string, WantedRow[]>, row: WantedRow): void {
  const group = `${row.table} ${Object.keys(row.key)}`;
  const rows = groups.get(group);
  if (rows === undefined) groups.set(group, [row]);
  else rows.push(row);
}

const STATEMENTS_MAX = 2000;
const TABLE = /\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)/g;
/** The tables that each statement names. */
const tablesOf = new Map<string, readonly string[]>();

function tablesIn(sql: string): readonly string[] {
  let tables = tablesOf.get(sql);
  if (tables === undefined) {
    if (tablesOf.size >= STATEMENTS_MAX) tablesOf.clear();
    tables = [...new Set([...sql.matchAll(TABLE)].map(([, table]) => table as string))];
    tablesOf.set(sql, tables);
  }
  return tables;
}

/**
 * A transaction in which many commits share what they read and write. Inserted rows, counters and held rows
 * are kept in memory, and written together before the commit, or as soon as a statement names one of their
 * tables. So every statement sees what was written before it, and nobody has to know what is still in memory.
 * A crash before that leaves nothing, as does any crash before the commit.
 */
export class WorkingSet implements Transaction {
  private readonly raw: RawTransaction;
  private readonly pending = new PendingWrites();
  private readonly known = new KnownRows();
  /** Rows read once, by statement and values. */
  private readonly read = new Map<string, Map<string, unknown>>();
  private readonly memories = new Map<unknown, object>();

  constructor(raw: RawTransaction) {
    this.raw = raw;
  }

  async all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    await this.writeFor(sql);
    return this.raw.all(sql, ...values);
  }

  async get<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined> {
    await this.writeFor(sql);
    return this.raw.get(sql, ...values);
  }

  async lock<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    await this.writeFor(sql);
    return this.raw.lock(sql, ...values);
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    await this.writeFor(sql);
    for (const table of tablesIn(sql)) this.dropTable(table);
    return this.raw.run(sql, ...values);
  }

  announce(topic: string, id: string): void {
    this.pending.announce({ topic, id });
  }

  async getOnce<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined> {
    let rows = this.read.get(sql);
    if (rows === undefined) {
      rows = new Map();
      this.read.set(sql, rows);
    }
    const key = textOf(values);
    if (!rows.has(key)) rows.set(key, await this.get<Row>(sql, ...values));
    return rows.get(key) as Row | undefined;
  }

  memory<T extends object>(Kind: new () => T): T {
    let known = this.memories.get(Kind);
    if (known === undefined) {
      known = new Kind();
      this.memories.set(Kind, known);
    }
    return known as T;
  }

  private knownBy(table: string, columns: readonly string[]): RowsByKey {
    return this.known.by(table, columns, this.pending.insertedInto(table));
  }

  async find<Row>(table: string, key: NewRow): Promise<Row | undefined> {
    const columns = Object.keys(key);
    const known = this.knownBy(table, columns);
    const name = nameOf(columns, key);
    if (known.rows.has(name)) return known.rows.get(name) as Row | undefined;
    if (known.unwritten.has(name) || this.pending.mayHaveChanged(table, key)) await this.write();
    const row = await findRow<NewRow>(this.raw, table, key);
    known.rows.set(name, row);
    return row as Row | undefined;
  }

  async findEach<Row>(
    table: string,
    key: NewRow,
    column: string,
    values: readonly string[],
  ): Promise<Row[]> {
    const columns = [...Object.keys(key), column];
    const known = this.knownBy(table, columns);
    const keys = values.map((value) => ({ ...key, [column]: value }));
    const missing = keys.filter((row) => !known.rows.has(nameOf(columns, row)));
    if (missing.length > 0) {
      const isPending = (row: NewRow) =>
        known.unwritten.has(nameOf(columns, row)) || this.pending.mayHaveChanged(table, row);
      if (missing.some(isPending)) await this.write();
      const wanted = missing.map((row) => row[column] as string);
      const rows = await findEachRow<NewRow>(this.raw, table, key, column, wanted);
      for (const row of missing) known.rows.set(nameOf(columns, row), undefined);
      for (const row of rows) known.rows.set(nameOf(columns, row), row);
    }
    const knownRows = keys.map((row) => known.rows.get(nameOf(columns, row)));
    return knownRows.filter((row) => row !== undefined) as Row[];
  }

  async prefetch(reads: readonly ExpectedRead[]): Promise<void> {
    if (this.raw.findMany === undefined || reads.length === 0) return;
    await this.write();
    const finds = new Map<string, WantedRow[]>();
    const held = new Map<string, WantedRow[]>();
    const others = new Map<string, () => Promise<unknown>>();
    for (const read of reads) {
      if (read.kind === "find") addTo(finds, read);
      else if (read.kind === "hold") addTo(held, read);
      else if (read.kind === "remember") others.set(read.name, () => read.read(this));
      else others.set(read.sql + read.values, () => this.getOnce(read.sql, ...read.values));
    }
    await Promise.all([
      ...[...finds.values()].map((rows) => this.findAll(rows)),
      ...[...held.values()].map((rows) => this.holdAll(rows)),
      ...[...others.values()].map((read) => read()),
    ]);
  }

  /** Reads rows of one table, all by the same columns. */
  private async findAll(wanted: readonly WantedRow[]): Promise<void> {
    const [{ table, key: first }] = wanted as [WantedRow];
    const columns = Object.keys(first);
    const known = this.knownBy(table, columns);
    const keys = new Map(wanted.map(({ key }) => [nameOf(columns, key), key]));
    const rows = (await this.raw.findMany?.(table, [...keys.values()])) ?? [];
    for (const name of keys.keys()) known.rows.set(name, undefined);
    for (const row of rows) known.rows.set(nameOf(columns, row), row);
  }

  async insert(table: string, rows: readonly NewRow[]): Promise<void> {
    if (rows.length === 0) return;
    if (!this.pending.insert(table, rows)) {
      await this.write();
      this.pending.insert(table, rows);
    }
    this.known.inserted(table, rows);
    this.dropRead(table);
  }

  add(table: string, key: NewRow, added: Readonly<Record<string, number>>): Promise<void> {
    return this.changeLater("add", table, key, added);
  }

  take(table: string, key: NewRow, taken: Readonly<Record<string, number>>): Promise<void> {
    return this.changeLater("take", table, key, taken);
  }

  set(table: string, key: NewRow, values: NewRow): Promise<void> {
    return this.changeLater("set", table, key, values);
  }

  private async changeLater(kind: ChangeKind, table: string, key: NewRow, values: NewRow) {
    if (!this.pending.change(kind, table, key, values)) {
      await this.write();
      this.pending.change(kind, table, key, values);
    }
    this.known.changed(kind, table, key, values);
    this.dropRead(table);
  }

  async hold(table: string, key: NewRow, otherwise?: NewRow): Promise<NewRow | undefined> {
    const columns = Object.keys(key);
    const name = nameOf(columns, key);
    const known = this.knownBy(table, columns);
    if (!known.held.has(name)) await this.holdAll([{ table, key, otherwise }]);
    return known.rows.get(name);
  }

  /**
   * Reads and locks rows of one table, all by the same columns. Those that do not exist may have to be
   * inserted.
   */
  private async holdAll(wanted: readonly WantedRow[]): Promise<void> {
    const [{ table, key: first }] = wanted as [WantedRow];
    if (this.pending.has(table)) await this.write();
    const columns = Object.keys(first);
    const { rows: known, held } = this.knownBy(table, columns);
    const byName = new Map(wanted.map((row) => [nameOf(columns, row.key), row]));
    const names = [...byName.keys()].sort();
    const keys = names.map((name) => (byName.get(name) as WantedRow).key);
    const keep = (rows: readonly NewRow[]) => {
      for (const row of rows) known.set(nameOf(columns, row), row);
    };
    const locked = await this.lockAll(table, keys);
    for (const name of names) {
      known.set(name, undefined);
      held.add(name);
    }
    keep(locked);
    const inserted: NewRow[] = [];
    for (const [name, { key, otherwise }] of byName) {
      const isMissing = known.get(name) === undefined;
      if (isMissing && otherwise !== undefined) inserted.push({ ...key, ...otherwise });
    }
    if (inserted.length === 0) return;
    // Another process may insert them now. Then this waits for that one, and reads its rows.
    const [, lockedRows] = await Promise.all([
      this.raw.insert(table, inserted, "ON CONFLICT DO NOTHING"),
      this.lockAll(table, keys),
    ]);
    keep(lockedRows);
  }

  private async lockAll(table: string, keys: readonly NewRow[]): Promise<NewRow[]> {
    if (this.raw.findMany !== undefined && keys.length > 1) {
      return this.raw.findMany(table, keys, "lock");
    }
    const lock = (key: NewRow) =>
      this.raw.lock<NewRow>(selectBy(table, key), ...Object.values(key));
    return (await Promise.all(keys.map(lock))).flat();
  }

  /** Writes what is in memory, without waiting for one statement before the next. */
  async write(): Promise<void> {
    this.known.written();
    await Promise.all(this.pending.write(this.raw));
  }

  /** Writes what is in memory if a statement names one of its tables. */
  private async writeFor(sql: string): Promise<void> {
    for (const table of tablesIn(sql)) {
      if (this.pending.has(table)) await this.write();
    }
  }

  private dropTable(table: string): void {
    this.known.drop(table);
    this.dropRead(table);
  }

  /** Drops the rows of statements that name a table. */
  private dropRead(table: string): void {
    for (const sql of this.read.keys()) if (tablesIn(sql).includes(table)) this.read.delete(sql);
  }
}
