import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Money } from "@gatehouse/protocol";
import type { NewRow, Queries, SqlValue, Transaction } from "./database.js";
import type { Condition } from "./statements.js";

/** How a property is stored if not as it is: converted, or in several columns. */
export interface Field<T> {
  read(row: NewRow): T;
  write(value: T): NewRow;
}

/** The name of a column is enough for a value that is stored as it is. */
type Fields<T> = {
  readonly [K in keyof T]-?: Field<T[K]> | ([T[K]] extends [SqlValue] ? string : never);
};

/** One column whose values are converted. */
export function converted<T>(
  column: string,
  read: (stored: string) => T,
  write: (value: T) => SqlValue,
): Field<T> {
  return {
    read: (row) => read(row[column] as string),
    write: (value) => ({ [column]: write(value) }),
  };
}

export function flag(column: string): Field<boolean> {
  return {
    read: (row) => row[column] === 1,
    write: (value) => ({ [column]: value ? 1 : 0 }),
  };
}

export function json<T>(column: string): Field<T> {
  return converted<T>(column, (text) => Object.freeze(JSON.parse(text)), JSON.stringify);
}

/** JSON, or NULL for null. */
export function jsonOrNull<T>(column: string): Field<T | null> {
  return converted<T | null>(
    column,
    (text) => (text === null ? null : Object.freeze(JSON.parse(text))),
    (value) => (value === null ? null : JSON.stringify(value)),
  );
}

/** Below this a text does not get smaller. */
const PACKED_CHARS_MIN = 512;

/**
 * A JSON value as a text column stores it. Long values are compressed, because strangers choose how
 * long they are. The JSON text of an object or list never looks like base64.
 */
export function packJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length < PACKED_CHARS_MIN) return text;
  return deflateRawSync(text, { level: 1 }).toString("base64");
}

export function unpackJson<T>(text: string): T {
  const plain = text.startsWith("{") || text.startsWith("[");
  return JSON.parse(plain ? text : inflateRawSync(Buffer.from(text, "base64")).toString("utf8"));
}

/** An amount in the columns `amount_minor` and `currency`. */
export const AMOUNT: Field<Money> = {
  read: ({ amount_minor, currency }) =>
    Object.freeze({ minor: amount_minor as number, currency: currency as string }),
  write: ({ minor, currency }) => ({ amount_minor: minor, currency }),
};

/** The place of the last item on the page before; null for the first page. */
export interface ListPage {
  readonly after: { readonly createdAt: number; readonly id: string } | null;
  readonly limit: number;
}

/** What a list is sorted by: the columns of time and id. */
export interface ListOrder {
  readonly by: readonly [time: string, id: string];
  readonly newestFirst: boolean;
  /** On SQLite only: the index to read by, where it would choose the primary key and pass many rows. */
  readonly sqliteIndex?: string | undefined;
}

/**
 * Reads and writes the rows of a table as the objects they stand for. SQL stays with the caller: `rest` is
 * what follows `SELECT … FROM table`, and must be a constant of the code. Objects are frozen.
 */
export class Table<T extends object> {
  private readonly name: string;
  private readonly fields: readonly [keyof T & string, string | Field<unknown>][];
  private readonly select: string;
  private readonly columns: string;

  constructor(name: string, fields: Fields<T>, columns = "*") {
    this.name = name;
    this.fields = Object.entries(fields) as never;
    this.columns = columns;
    this.select = `SELECT ${columns} FROM ${name} `;
  }

  read(row: object): T {
    const object: Record<string, unknown> = {};
    for (const [property, field] of this.fields) {
      object[property] =
        typeof field === "string" ? (row as NewRow)[field] : field.read(row as NewRow);
    }
    return Object.freeze(object) as T;
  }

  rowOf(object: T): NewRow {
    const row: Record<string, SqlValue> = {};
    for (const [property, field] of this.fields) {
      const value = object[property];
      if (typeof field === "string") row[field] = value as SqlValue;
      else Object.assign(row, field.write(value));
    }
    return row;
  }

  async get(db: Pick<Queries, "get">, rest: string, ...values: SqlValue[]): Promise<T | undefined> {
    const row = await db.get<NewRow>(this.select + rest, ...values);
    return row && this.read(row);
  }

  /** Finds a row by a unique key; in a transaction, once. */
  async findEach(
    db: Pick<Queries, "findEach">,
    key: NewRow,
    column: string,
    values: readonly string[],
  ): Promise<T[]> {
    const rows = await db.findEach<NewRow>(this.name, key, column, values, this.columns);
    return rows.map((row) => this.read(row));
  }

  async find(db: Pick<Queries, "find">, key: NewRow): Promise<T | undefined> {
    const row = await db.find<NewRow>(this.name, key);
    return row && this.read(row);
  }

  async all(db: Pick<Queries, "all">, rest: string, ...values: SqlValue[]): Promise<T[]> {
    const rows = await db.all<NewRow>(this.select + rest, ...values);
    return rows.map((row) => this.read(row));
  }

  /** A function that finds a row by a unique column. */
  by(column: string): (db: Queries, value: string) => Promise<T | undefined> {
    return (db, value) => this.get(db, `WHERE ${column} = ?`, value);
  }

  /** The rows of a site with one of these values in a column. */
  async among(
    db: Pick<Queries, "all">,
    siteKeyHash: string,
    column: string,
    values: Iterable<string>,
  ): Promise<T[]> {
    const unique = [...new Set(values)];
    if (unique.length === 0) return [];
    const marks = unique.map(() => "?").join(", ");
    return this.all(
      db,
      `WHERE site_key_hash = ? AND ${column} IN (${marks})`,
      siteKeyHash,
      ...unique,
    );
  }

  /** A function that finds a row of a site by a column that is unique within the site. */
  ofSiteBy<V extends SqlValue = string>(
    column: string,
  ): (db: Queries, siteKeyHash: string, value: V) => Promise<T | undefined> {
    const rest = `WHERE site_key_hash = ? AND ${column} = ?`;
    return (db, siteKeyHash, value) => this.get(db, rest, siteKeyHash, value);
  }

  /** Reads a row and locks it until the transaction ends. */
  async lock(tx: Transaction, rest: string, ...values: SqlValue[]): Promise<T | undefined> {
    const [row] = await tx.lock<NewRow>(this.select + rest, ...values);
    return row && this.read(row);
  }

  /** A page of the rows that meet all conditions. */
  page(
    db: Pick<Queries, "all">,
    where: readonly (Condition | undefined)[],
    { by, newestFirst, sqliteIndex }: ListOrder,
    { after, limit }: ListPage,
  ): Promise<T[]> {
    const columns = by.join(", ");
    const next = after && {
      sql: `(${columns}) ${newestFirst ? "<" : ">"} (?, ?)`,
      values: [after.createdAt, after.id],
    };
    const conditions = [...where, next ?? undefined].filter((one) => one !== undefined);
    const all = conditions.map(({ sql }) => sql).join(" AND ");
    const order = by.map((column) => (newestFirst ? `${column} DESC` : column)).join(", ");
    const hint = sqliteIndex === undefined ? "" : `INDEXED BY ${sqliteIndex} `;
    return this.all(
      db,
      `${hint}${all && "WHERE "}${all} ORDER BY ${order} LIMIT ?`,
      ...conditions.flatMap(({ values }) => values),
      limit,
    );
  }

  /** `more`: columns that are no property of the object. */
  insert(tx: Transaction, objects: readonly T[], more: NewRow = {}): Promise<void> {
    return tx.insert(
      this.name,
      objects.map((object) => ({ ...this.rowOf(object), ...more })),
    );
  }

  /** Writes these columns of the rows that meet a condition. Returns how many there were. */
  update(
    tx: Queries,
    row: NewRow,
    columns: readonly string[],
    condition: string,
    ...values: SqlValue[]
  ): Promise<number> {
    const set = columns.map((column) => `${column} = ?`).join(", ");
    const written = columns.map((column) => row[column] as SqlValue);
    return tx.run(`UPDATE ${this.name} SET ${set} WHERE ${condition}`, ...written, ...values);
  }

  /** Inserts a row, or changes columns of the row with the same key: these, or all. */
  async upsert(
    tx: Queries,
    object: T,
    { key, changed }: { readonly key: readonly string[]; readonly changed?: readonly string[] },
    more: NewRow = {},
  ): Promise<void> {
    const row = { ...this.rowOf(object), ...more };
    const columns = Object.keys(row);
    const updated = changed ?? columns.filter((column) => !key.includes(column));
    await tx.run(
      `INSERT INTO ${this.name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
       ON CONFLICT (${key.join(", ")}) DO UPDATE SET
         ${updated.map((column) => `${column} = excluded.${column}`).join(", ")}`,
      ...Object.values(row),
    );
  }
}
