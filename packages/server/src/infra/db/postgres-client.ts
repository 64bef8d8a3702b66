import pg from "pg";
import {
  type Change,
  DatabaseConflictError,
  DatabaseUnavailableError,
  type NewRow,
  PlainQueries,
  type SqlValue,
} from "./database.js";
import type { ChangedColumns, RawTransaction } from "./raw-transaction.js";

const STATEMENT_TEXTS_MAX = 2000;

const INT8_OID = 20;

/** Whole numbers of the schema fit in 53 bits; one that does not is a broken assumption. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("a database integer exceeds 2^53 - 1");
  return value;
}

export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text") =>
    oid === INT8_OID ? safeInteger : pg.types.getTypeParser(oid, format)) as never,
};

function translated(error: unknown): unknown {
  if (error instanceof RangeError || error instanceof TypeError) return error;
  const code = String((error as { code?: unknown }).code ?? "");
  const message = error instanceof Error ? error.message : String(error);
  if (code === "23505") return new DatabaseConflictError(message, { cause: error });
  // Without a code the driver itself gave up: no connection, or it ended under the query. 25006 is
  // a server that takes no writes: a replica, or one set to read-only.
  if (code === "" ? error instanceof Error : /^(08|53|57|58|E[A-Z]|25006)/.test(code)) {
    return new DatabaseUnavailableError(message, { cause: error });
  }
  return error;
}

interface Prepared {
  readonly name: string;
  readonly text: string;
}

const prepared = new Map<string, Prepared>();

/** `?` becomes `$1…`, and each text gets a name so that the server plans it once a connection. */
function prepare(sql: string): Prepared {
  let statement = prepared.get(sql);
  if (statement === undefined) {
    if (prepared.size >= STATEMENT_TEXTS_MAX) throw new Error("SQL must not be built from values");
    let count = 0;
    statement = { name: `s${prepared.size}`, text: sql.replace(/\?/g, () => `$${++count}`) };
    prepared.set(sql, statement);
  }
  return statement;
}

/** A connection, or a pool of them. */
export type Client = Pick<pg.Pool, "query">;

async function query(client: Client, sql: string, values: readonly SqlValue[]) {
  try {
    return await client.query({ ...prepare(sql), values: [...values] });
  } catch (error) {
    throw translated(error);
  }
}

/** `query_timeout` is a setting of the driver that its types leave out. */
type Statement = string | { readonly text: string; readonly query_timeout: number };

/** Runs a statement without values. Errors of a transaction's body are not translated. */
export async function control(client: Client, statement: Statement): Promise<void> {
  try {
    await client.query(statement as pg.QueryConfig);
  } catch (error) {
    throw translated(error);
  }
}

/** Queries on a connection, or on a pool of them. */
export class PostgresQueries extends PlainQueries {
  private readonly client: Client;

  constructor(client: Client) {
    super();
    this.client = client;
  }

  async all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    return (await query(this.client, sql, values)).rows as Row[];
  }

  async get<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined> {
    return (await query(this.client, sql, values)).rows[0] as Row | undefined;
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    return (await query(this.client, sql, values)).rowCount ?? 0;
  }
}

/**
 * Statements inside a transaction, sent without waiting for the answers of earlier ones. Rows go to the server as one JSON value: one plan
 * serves any number of them.
 */
export class PostgresTransaction extends PostgresQueries implements RawTransaction {
  readonly announced: Change[] = [];
  private readonly origin: string;

  constructor(client: Client, origin: string) {
    super(client);
    this.origin = origin;
  }

  lock<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    return this.all(`${sql} FOR UPDATE`, ...values);
  }

  async insert(table: string, rows: readonly NewRow[], conflict = ""): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first).join(", ");
    const sql = `INSERT INTO ${table} (${columns})
      SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ?) ${conflict}`;
    await this.run(sql, JSON.stringify(rows));
  }

  findMany(table: string, keys: readonly NewRow[], lock?: "lock"): Promise<NewRow[]> {
    const columns = Object.keys(keys[0] ?? {});
    const on = columns.map((column) => `wanted.${column} = ${table}.${column}`).join(" AND ");
    const locked = `ORDER BY ${columns.map((column) => `${table}.${column}`).join(", ")}
      FOR UPDATE OF ${table}`;
    const sql = `SELECT ${table}.* FROM json_populate_recordset(NULL::${table}, ?) AS wanted
      JOIN ${table} ON ${on} ${lock === undefined ? "" : locked}`;
    return this.all(sql, JSON.stringify(keys));
  }

  async update(
    kind: "set" | "take",
    table: string,
    { key, columns }: ChangedColumns,
    rows: readonly NewRow[],
  ): Promise<void> {
    const assigned = columns.map((column) =>
      kind === "set"
        ? `${column} = changed.${column}`
        : // Not GREATEST, which would make 0 of NULL.
          `${column} = CASE WHEN ${table}.${column} < changed.${column} THEN 0
            ELSE ${table}.${column} - changed.${column} END`,
    );
    const on = key.map((column) => `changed.${column} = ${table}.${column}`).join(" AND ");
    const sql = `UPDATE ${table} SET ${assigned.join(", ")}
      FROM json_populate_recordset(NULL::${table}, ?) AS changed WHERE ${on}`;
    await this.run(sql, JSON.stringify(rows));
  }

  async announce(changes: readonly Change[]): Promise<void> {
    const payloads = changes.map(({ topic, id }) => JSON.stringify([this.origin, topic, id]));
    await this.all(
      "SELECT pg_notify('gatehouse_changes', payload) FROM json_array_elements_text(?) AS payload",
      JSON.stringify(payloads),
    );
    this.announced.push(...changes);
  }
}
