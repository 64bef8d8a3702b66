import type { Dialect, Queries, SqlValue } from "../infra/db/database.js";
import { ownTables } from "../infra/db/migrate.js";

/** Rows read at a time, to limit the memory. */
const ROWS_PER_READ = 500;
/** Fewer of a table whose rows can be large. */
const LARGE_ROWS_PER_READ: Readonly<Record<string, number>> = { product_pictures: 4 };

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the primary key, in order. */
  readonly key: readonly string[];
}

export type Row = Readonly<Record<string, SqlValue>>;

async function keyColumns(db: Queries, dialect: Dialect, table: string): Promise<string[]> {
  const sql =
    dialect === "sqlite"
      ? "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
      : `SELECT a.attname AS name FROM pg_index i
           JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
         WHERE i.indisprimary AND i.indrelid = to_regclass(?)
         ORDER BY array_position(i.indkey, a.attnum)`;
  const rows = await db.all<{ name: string }>(sql, table);
  if (rows.length === 0) throw new Error(`table ${table} has no primary key`);
  return rows.map(({ name }) => name);
}

async function allColumns(db: Queries, dialect: Dialect, table: string): Promise<string[]> {
  const sql =
    dialect === "sqlite"
      ? "SELECT name FROM pragma_table_info(?) ORDER BY cid"
      : `SELECT attname AS name FROM pg_attribute
         WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;
  return (await db.all<{ name: string }>(sql, table)).map(({ name }) => name);
}

/** Every table of the product. */
export async function dataTables(db: Queries, dialect: Dialect): Promise<Table[]> {
  const tables: Table[] = [];
  for (const name of ownTables()) {
    const columns = await allColumns(db, dialect, name);
    // A restore begins in the schema of the backup, where later tables do not exist yet.
    if (columns.length === 0) continue;
    tables.push({ name, columns, key: await keyColumns(db, dialect, name) });
  }
  return tables;
}

/** A table's rows in key order. Read inside a snapshot, they are of one moment. */
export async function* rowsOf(db: Queries, { name, key }: Table): AsyncGenerator<Row> {
  const columns = key.join(", ");
  const marks = key.map(() => "?").join(", ");
  const limit = LARGE_ROWS_PER_READ[name] ?? ROWS_PER_READ;
  let last: Row | undefined;
  for (;;) {
    const from = last === undefined ? "" : `WHERE (${columns}) > (${marks})`;
    const values = last === undefined ? [] : key.map((column) => (last as Row)[column] as SqlValue);
    const rows = await db.all<Row>(
      `SELECT * FROM ${name} ${from} ORDER BY ${columns} LIMIT ${limit}`,
      ...values,
    );
    yield* rows;
    if (rows.length < limit) return;
    last = rows.at(-1);
  }
}

/** Whether a row has no columns that the table does not have. */
export function fitsTable({ columns }: Table, row: Row): boolean {
  return Object.keys(row).every((name) => columns.includes(name));
}

/** Writes one row that {@link fitsTable}: its column names become part of the statement. */
export async function insertRow(db: Queries, { name }: Table, row: Row): Promise<void> {
  const columns = Object.keys(row);
  await db.run(
    `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
}
