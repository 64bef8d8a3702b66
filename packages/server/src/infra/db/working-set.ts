import {
  type ExpectedRead,
  findRow,
  type NewRow,
  type SqlValue,
  type Transaction,
} from "./database.js";

/** What a database does in a transaction. Statements run in the order in which they are called. */
export interface RawTransaction
  extends Pick<Transaction, "all" | "get" | "run" | "lock" | "announce"> {
  /** Writes rows with the same columns. `conflict`: what to do with rows that are there already. */
  insert(table: string, rows: readonly NewRow[], conflict?: string): Promise<void>;
  /** The rows with these keys, where one statement for all costs less than one for each. `lock`: in sorted order. */
  findMany?(table: string, keys: readonly NewRow[], lock?: "lock"): Promise<NewRow[]>;
}

/** Sums to add to the counters of rows. */
interface Sums {
  readonly key: readonly string[];
  readonly rows: Map<string, { readonly key: NewRow; readonly added: Record<string, number> }>;
}

/** Rows that are held: read and locked once, changed in memory, written once. */
interface Held {
  readonly key: string;
  readonly rows: Map<string, NewRow>;
  readonly changed: Set<string>;
}

/** Rows of a table by a unique key; undefined if there is none. */
interface Found {
  readonly columns: readonly string[];
  readonly rows: Map<string, NewRow | undefined>;
  /** Names of inserted rows that are still in memory. */
  readonly unwritten: Set<string>;
}

/** Values as one text that no other values have. */
const textOf = (values: readonly unknown[]): string => JSON.stringify(values);

const nameOf = (columns: readonly string[], row: NewRow): string =>
  textOf(columns.map((column) => row[column]));

const areSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, i) => text === other[i]);

const haveSameColumns = (one: object, other: object): boolean =>
  areSame(Object.keys(one), Object.keys(other));

function addTo(lists: Map<string, NewRow[]>, table: string, row: NewRow): void {
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
  /** Inserted rows by table, in the order of their first insert. */
  private readonly inserted = new Map<string, NewRow[]>();
  private readonly sums = new Map<string, Sums>();
  private readonly held = new Map<string, Held>();
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

  announce(topic: string, id: string): Promise<void> {
    return this.raw.announce(topic, id);
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
    const found = this.foundBy(table, columns);
    if (found === undefined) return findRow(this, table, key);
    if (found.rows.has(name)) return found.rows.get(name) as Row | undefined;
    if (found.unwritten.has(name)) await this.write();
    const row = await findRow<NewRow>(this.raw, table, key);
    found.rows.set(name, row);
    return row as Row | undefined;
  }

  /** The rows of a table by these columns. One key of each table is remembered: the first that is used. */
  private foundBy(table: string, columns: readonly string[]): Found | undefined {
    let found = this.found.get(table);
    if (found === undefined) {
      const names = (this.inserted.get(table) ?? []).map((row) => nameOf(columns, row));
      found = { columns, rows: new Map(), unwritten: new Set(names) };
      this.found.set(table, found);
    }
    return areSame(found.columns, columns) ? found : undefined;
  }

  async prefetch(reads: readonly ExpectedRead[]): Promise<void> {
    if (this.raw.findMany === undefined || reads.length === 0) return;
    await this.write();
    const found = new Map<string, NewRow[]>();
    const held = new Map<string, NewRow[]>();
    const others = new Map<string, () => Promise<unknown>>();
    for (const read of reads) {
      if (read.kind === "find") addTo(found, read.table, read.key);
      else if (read.kind === "hold") addTo(held, read.table, { ...read.key, ...read.otherwise });
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
    const [first] = rows;
    if (first === undefined) return;
    const [before] = this.inserted.get(table) ?? [];
    // One statement writes rows with the same columns only.
    if (before !== undefined && !haveSameColumns(before, first)) await this.write();
    const waiting = this.inserted.get(table);
    if (waiting === undefined) this.inserted.set(table, [...rows]);
    else waiting.push(...rows);
    const found = this.found.get(table);
    if (found !== undefined) {
      for (const row of rows) {
        const name = nameOf(found.columns, row);
        found.rows.delete(name);
        found.unwritten.add(name);
      }
    }
    this.forgetRead(table);
  }

  async add(table: string, key: NewRow, added: Readonly<Record<string, number>>): Promise<void> {
    const [before] = this.sums.get(table)?.rows.values() ?? [];
    if (before !== undefined && !haveSameColumns(before.added, added)) await this.write();
    let sums = this.sums.get(table);
    if (sums === undefined) {
      sums = { key: Object.keys(key), rows: new Map() };
      this.sums.set(table, sums);
    }
    const name = textOf(Object.values(key));
    const row = sums.rows.get(name);
    if (row === undefined) sums.rows.set(name, { key, added: { ...added } });
    else
      for (const column in added)
        row.added[column] = (row.added[column] ?? 0) + (added[column] ?? 0);
    this.forgetRead(table);
  }

  async hold(table: string, key: NewRow, otherwise: NewRow): Promise<NewRow> {
    const [value] = Object.values(key);
    const known = this.held.get(table)?.rows.get(String(value));
    if (known !== undefined) return known;
    await this.holdAll(table, [{ ...key, ...otherwise }]);
    return this.held.get(table)?.rows.get(String(value)) as NewRow;
  }

  /** Reads and locks rows by their first column. Those that do not exist are inserted. */
  private async holdAll(table: string, rows: readonly NewRow[]): Promise<void> {
    const [key] = Object.keys(rows[0] as NewRow) as [string];
    const held = this.held.get(table) ?? { key, rows: new Map(), changed: new Set() };
    this.held.set(table, held);
    const wanted = new Map(rows.map((row) => [String(row[key]), row]));
    const isMissing = (name: string) => !held.rows.has(name);
    for (const row of await this.lockAll(table, key, [...wanted.keys()])) {
      held.rows.set(String(row[key]), row);
    }
    const missing = [...wanted.keys()].filter(isMissing).sort();
    if (missing.length === 0) return;
    // Another process may insert them now. Then this waits for that one, and reads its rows.
    const inserted = missing.map((name) => wanted.get(name) as NewRow);
    const [, found] = await Promise.all([
      this.raw.insert(table, inserted, "ON CONFLICT DO NOTHING"),
      this.lockAll(table, key, missing),
    ]);
    for (const row of found) held.rows.set(String(row[key]), row);
  }

  private async lockAll(table: string, key: string, names: readonly string[]): Promise<NewRow[]> {
    if (this.raw.findMany !== undefined && names.length > 1) {
      const keys = names.map((name) => ({ [key]: name }));
      return this.raw.findMany(table, keys, "lock");
    }
    const sql = `SELECT * FROM ${table} WHERE ${key} = ?`;
    return (await Promise.all(names.map((name) => this.raw.lock<NewRow>(sql, name)))).flat();
  }

  change(table: string, row: NewRow): void {
    const held = this.held.get(table) as Held;
    const name = String(row[held.key]);
    held.rows.set(name, row);
    held.changed.add(name);
  }

  /** Writes what is in memory, without waiting for one statement before the next. */
  async write(): Promise<void> {
    const statements: Promise<void>[] = [];
    for (const [table, rows] of this.inserted) {
      this.found.get(table)?.unwritten.clear();
      statements.push(this.raw.insert(table, rows));
    }
    this.inserted.clear();
    for (const [table, { key, rows }] of this.sums) {
      const all = [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
      const columns = Object.keys(all[0]?.added ?? {});
      const set = columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`);
      const summed = all.map((row) => ({ ...row.key, ...row.added }));
      const conflict = `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${set.join(", ")}`;
      statements.push(this.raw.insert(table, summed, conflict));
    }
    this.sums.clear();
    for (const [table, held] of this.held) {
      const rows = [...held.changed].sort().map((name) => held.rows.get(name) as NewRow);
      held.changed.clear();
      const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== held.key);
      const set = columns.map((column) => `${column} = excluded.${column}`);
      const conflict = `ON CONFLICT (${held.key}) DO UPDATE SET ${set.join(", ")}`;
      statements.push(this.raw.insert(table, rows, conflict));
    }
    await Promise.all(statements);
  }

  /** Writes what is in memory if a statement names one of its tables. */
  private async writeFor(sql: string): Promise<void> {
    for (const table of tablesIn(sql)) {
      const held = this.held.get(table);
      if (held === undefined && !this.inserted.has(table) && !this.sums.has(table)) continue;
      await this.write();
      this.held.delete(table);
    }
  }

  private forget(table: string): void {
    this.found.delete(table);
    this.forgetRead(table);
  }

  /** Forgets the rows of statements that name a table. */
  private forgetRead(table: string): void {
    for (const sql of this.read.keys()) if (tablesIn(sql).includes(table)) this.read.delete(sql);
  }
}
