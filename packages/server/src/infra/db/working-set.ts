import {
  type Change,
  type ExpectedRead,
  findRow,
  type NewRow,
  type SqlValue,
  selectBy,
  type Transaction,
} from "./database.js";
import { areSame, type ChangeKind, PendingWrites, textOf } from "./pending-writes.js";

/** What a database does in a transaction. Statements run in the order in which they are called. */
export interface RawTransaction extends Pick<Transaction, "all" | "get" | "run" | "lock"> {
  /** Writes rows with the same columns. `conflict`: what to do with rows that are there already. */
  insert(table: string, rows: readonly NewRow[], conflict?: string): Promise<void>;
  /** Changes columns of rows by their keys. Rows that do not exist are left out. */
  update(
    kind: Exclude<ChangeKind, "add">,
    table: string,
    names: { readonly key: readonly string[]; readonly columns: readonly string[] },
    rows: readonly NewRow[],
  ): Promise<void>;
  /** The rows with these keys, where one statement for all costs less than one for each. `lock`: in sorted order. */
  findMany?(table: string, keys: readonly NewRow[], lock?: "lock"): Promise<NewRow[]>;
  announce(changes: readonly Change[]): Promise<void>;
}

/** Rows of a table by a unique key; undefined if there is none. */
interface KnownRows {
  readonly columns: readonly string[];
  readonly rows: Map<string, NewRow | undefined>;
}

interface Found extends KnownRows {
  /** Names of inserted rows that are still in memory. */
  readonly unwritten: Set<string>;
}

const nameOf = (columns: readonly string[], row: NewRow): string =>
  textOf(columns.map((column) => row[column]));

/** A row to hold, and what to insert if there is none. */
interface WantedRow {
  readonly key: NewRow;
  readonly otherwise?: NewRow | undefined;
}

/** Changes a row that is known by the key that it is changed by. False if that is another key. */
function changeKnown(
  { columns, rows }: KnownRows,
  kind: ChangeKind,
  key: NewRow,
  values: NewRow,
): boolean {
  if (kind !== "set" || !areSame(columns, Object.keys(key))) return false;
  const name = nameOf(columns, key);
  const row = rows.get(name);
  if (row === undefined) rows.delete(name);
  else rows.set(name, Object.assign({}, row, values));
  return true;
}

function addTo<T>(lists: Map<string, T[]>, table: string, row: T): void {
  const list = lists.get(table);
  if (list === undefined) lists.set(table, [row]);
  else list.push(row);
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
  /** Rows that are locked. */
  private readonly held = new Map<string, KnownRows>();
  /** Rows read once, by statement and values. */
  private readonly read = new Map<string, Map<string, unknown>>();
  private readonly found = new Map<string, Found>();
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
    for (const table of tablesIn(sql)) this.forget(table);
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

  async find<Row>(table: string, key: NewRow): Promise<Row | undefined> {
    const columns = Object.keys(key);
    const name = nameOf(columns, key);
    const held = this.held.get(table);
    if (held !== undefined && areSame(held.columns, columns) && held.rows.has(name)) {
      return held.rows.get(name) as Row | undefined;
    }
    const found = this.foundBy(table, columns);
    if (found === undefined) return findRow(this, table, key);
    if (found.rows.has(name)) return found.rows.get(name) as Row | undefined;
    if (found.unwritten.has(name) || this.pending.mayHaveChanged(table, key)) await this.write();
    const row = await findRow<NewRow>(this.raw, table, key);
    found.rows.set(name, row);
    return row as Row | undefined;
  }

  /** The rows of a table by these columns. One key of each table is remembered: the first that is used. */
  private foundBy(table: string, columns: readonly string[]): Found | undefined {
    let found = this.found.get(table);
    if (found === undefined) {
      const names = this.pending.insertedInto(table).map((row) => nameOf(columns, row));
      found = { columns, rows: new Map(), unwritten: new Set(names) };
      this.found.set(table, found);
    }
    return areSame(found.columns, columns) ? found : undefined;
  }

  async prefetch(reads: readonly ExpectedRead[]): Promise<void> {
    if (this.raw.findMany === undefined || reads.length === 0) return;
    await this.write();
    const found = new Map<string, NewRow[]>();
    const held = new Map<string, WantedRow[]>();
    const others = new Map<string, () => Promise<unknown>>();
    for (const read of reads) {
      if (read.kind === "find") addTo(found, read.table, read.key);
      else if (read.kind === "hold") addTo(held, read.table, read);
      else if (read.kind === "remember") others.set(read.name, () => read.read(this));
      else others.set(read.sql + read.values, () => this.getOnce(read.sql, ...read.values));
    }
    await Promise.all([
      ...[...found].map(([table, keys]) => this.findAll(table, keys)),
      ...[...held].map(([table, rows]) => this.holdAll(table, rows)),
      ...[...others.values()].map((read) => read()),
    ]);
  }

  private async findAll(table: string, keys: readonly NewRow[]): Promise<void> {
    const columns = Object.keys(keys[0] as NewRow);
    const rows = new Map<string, NewRow | undefined>();
    for (const key of keys) rows.set(nameOf(columns, key), undefined);
    const found = (await this.raw.findMany?.(table, keys)) ?? [];
    for (const row of found) rows.set(nameOf(columns, row), row);
    this.found.set(table, { columns, rows, unwritten: new Set() });
  }

  async insert(table: string, rows: readonly NewRow[]): Promise<void> {
    if (rows.length === 0) return;
    if (!this.pending.insert(table, rows)) {
      await this.write();
      this.pending.insert(table, rows);
    }
    const found = this.found.get(table);
    const held = this.held.get(table);
    for (const row of rows) {
      if (held !== undefined) held.rows.delete(nameOf(held.columns, row));
      if (found === undefined) continue;
      const name = nameOf(found.columns, row);
      found.rows.delete(name);
      found.unwritten.add(name);
    }
    this.forgetRead(table);
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
    for (const known of [this.found, this.held]) {
      const rows = known.get(table);
      if (rows !== undefined && !changeKnown(rows, kind, key, values)) known.delete(table);
    }
    this.forgetRead(table);
  }

  async hold(table: string, key: NewRow, otherwise?: NewRow): Promise<NewRow | undefined> {
    const name = textOf(Object.values(key));
    const known = this.held.get(table);
    if (known?.rows.has(name) === true) return known.rows.get(name);
    await this.holdAll(table, [{ key, otherwise }]);
    return this.held.get(table)?.rows.get(name);
  }

  /** Reads and locks rows, all by the same columns. Those that do not exist may have to be inserted. */
  private async holdAll(table: string, wanted: readonly WantedRow[]): Promise<void> {
    if (this.pending.has(table)) await this.write();
    const columns = Object.keys((wanted[0] as WantedRow).key);
    const held = this.held.get(table) ?? { columns, rows: new Map() };
    this.held.set(table, held);
    const byName = new Map(wanted.map((row) => [nameOf(columns, row.key), row]));
    const names = [...byName.keys()].sort();
    for (const name of names) held.rows.set(name, undefined);
    const keep = (rows: readonly NewRow[]) => {
      for (const row of rows) held.rows.set(nameOf(columns, row), row);
    };
    const keys = names.map((name) => (byName.get(name) as WantedRow).key);
    keep(await this.lockAll(table, keys));
    const inserted: NewRow[] = [];
    for (const [name, { key, otherwise }] of byName) {
      const isMissing = held.rows.get(name) === undefined;
      if (isMissing && otherwise !== undefined) inserted.push({ ...key, ...otherwise });
    }
    if (inserted.length === 0) return;
    // Another process may insert them now. Then this waits for that one, and reads its rows.
    const [, found] = await Promise.all([
      this.raw.insert(table, inserted, "ON CONFLICT DO NOTHING"),
      this.lockAll(table, keys),
    ]);
    keep(found);
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
    for (const { unwritten } of this.found.values()) unwritten.clear();
    await Promise.all(this.pending.write(this.raw));
  }

  /** Writes what is in memory if a statement names one of its tables. */
  private async writeFor(sql: string): Promise<void> {
    for (const table of tablesIn(sql)) {
      if (this.pending.has(table)) await this.write();
    }
  }

  private forget(table: string): void {
    this.found.delete(table);
    this.held.delete(table);
    this.forgetRead(table);
  }

  /** Forgets the rows of statements that name a table. */
  private forgetRead(table: string): void {
    for (const sql of this.read.keys()) if (tablesIn(sql).includes(table)) this.read.delete(sql);
  }
}
