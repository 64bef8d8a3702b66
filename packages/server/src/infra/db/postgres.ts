import pg from "pg";
import { systemClock } from "../clock.js";
import type { Ids } from "../ids.js";
import type { Log } from "../log/log.js";
import {
  ANY_CHANGE,
  ChangeFeed,
  type Database,
  DatabaseConflictError,
  DatabaseUnavailableError,
  findRow,
  type NewRow,
  pingDatabase,
  type Queries,
  type SqlValue,
  type Transaction,
} from "./database.js";
import { listenForChanges } from "./postgres-listener.js";
import { WorkingSet } from "./working-set.js";

const CONNECTIONS_MAX = 10;
const CONNECT_MS_MAX = 3000;
const STATEMENT_MS_MAX = 10_000;
/** A server that does not respond cannot enforce its own time-out, so the client gives up a little later. */
const ANSWER_MS_MAX = STATEMENT_MS_MAX + 1000;
const CLOSE_MS_MAX = 3000;
const SCRIPT_MS_MAX = 600_000;
/** Deadlock and serialization failure, after which a transaction is tried again. */
const RETRY_CODES = new Set(["40001", "40P01"]);
const TRIES_MAX = 5;
const STATEMENT_TEXTS_MAX = 2000;

const INT8_OID = 20;

/** Whole numbers of the schema fit in 53 bits; one that does not is a broken assumption. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("a database integer exceeds 2^53 - 1");
  return value;
}

const types: pg.CustomTypesConfig = {
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

type Client = Pick<pg.Pool, "query">;

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
async function control(client: Client, statement: Statement): Promise<void> {
  try {
    await client.query(statement as pg.QueryConfig);
  } catch (error) {
    throw translated(error);
  }
}

function queriesOf(client: Client): Queries {
  const get = async <Row>(sql: string, ...values: SqlValue[]) =>
    (await query(client, sql, values)).rows[0] as Row | undefined;
  return {
    get,
    getOnce: get,
    find: (table, key) => findRow({ get }, table, key),
    memory: (Kind) => new Kind(),
    all: async <Row>(sql: string, ...values: SqlValue[]) =>
      (await query(client, sql, values)).rows as Row[],
    run: async (sql, ...values) => (await query(client, sql, values)).rowCount ?? 0,
  };
}

class PostgresDatabase implements Database {
  readonly dialect = "postgres";
  readonly changes = new ChangeFeed();
  private readonly pool: pg.Pool;
  private readonly queries: Queries;
  /** The connection behind each transaction, for scripts. */
  private readonly clients = new WeakMap<Transaction, Client>();
  /** Marks this process's own notifications, which it ignores. */
  private readonly origin: string;
  private closed: Promise<void> | undefined;
  private stopListening: () => Promise<void> = async () => {};

  constructor(url: string, ids: Ids, log: Log) {
    this.origin = ids.id("node");
    this.pool = new pg.Pool({
      connectionString: url,
      max: CONNECTIONS_MAX,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      statement_timeout: STATEMENT_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
      application_name: "gatehouse",
      types,
    });
    // An idle connection that breaks is replaced; without a listener it would end the process.
    this.pool.on("error", (error) => log.warn({ error }, "database.connection_lost"));
    this.queries = queriesOf(this.pool);
  }

  async listen(url: string, log: Log): Promise<void> {
    this.stopListening = await listenForChanges(url, this.origin, this.changes, log);
  }

  all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    return this.queries.all(sql, ...values);
  }

  get<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined> {
    return this.queries.get(sql, ...values);
  }

  getOnce<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined> {
    return this.queries.get(sql, ...values);
  }

  find<Row>(table: string, key: NewRow): Promise<Row | undefined> {
    return this.queries.find(table, key);
  }

  memory<T extends object>(Kind: new () => T): T {
    return new Kind();
  }

  run(sql: string, ...values: SqlValue[]): Promise<number> {
    return this.queries.run(sql, ...values);
  }

  async transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.inTransaction("BEGIN", body);
      } catch (error) {
        const code = String((error as { code?: unknown }).code ?? "");
        if (!RETRY_CODES.has(code)) throw error;
        if (tries >= TRIES_MAX) {
          throw new DatabaseUnavailableError("the database is contended", { cause: error });
        }
      }
    }
  }

  private async inTransaction<T>(begin: string, body: (tx: Transaction) => Promise<T>) {
    const client = await this.connect();
    const announced: { topic: string; id: string }[] = [];
    const queries = queriesOf(client);
    const tx = new WorkingSet({
      ...queries,
      lock: (sql, ...values) => queries.all(`${sql} FOR UPDATE`, ...values),
      // One value for all rows: the table's own types read it, and one plan serves any number.
      insert: async (table, rows, conflict = "") => {
        const [first] = rows;
        if (first === undefined) return;
        const columns = Object.keys(first).join(", ");
        const sql = `INSERT INTO ${table} (${columns})
          SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ?) ${conflict}`;
        await queries.run(sql, JSON.stringify(rows));
      },
      findMany: (table, keys) => {
        const columns = Object.keys(keys[0] ?? {});
        const on = columns.map((column) => `wanted.${column} = ${table}.${column}`).join(" AND ");
        const sql = `SELECT ${table}.* FROM json_populate_recordset(NULL::${table}, ?) AS wanted
          JOIN ${table} ON ${on}`;
        return queries.all(sql, JSON.stringify(keys));
      },
      announce: async (topic, id) => {
        const payload = JSON.stringify([this.origin, topic, id]);
        await query(client, "SELECT pg_notify('gatehouse_changes', ?)", [payload]);
        announced.push({ topic, id });
      },
    });
    this.clients.set(tx, client);
    let broken: Error | undefined;
    // A connection that ends between two queries emits an event, and nothing else listens for it now.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on("error", onError);
    let result: T;
    try {
      await control(client, begin);
      result = await body(tx);
      await tx.write();
      await control(client, "COMMIT").catch((error) => {
        // It may have committed before the connection was lost, so caches cannot be trusted.
        this.changes.emit(ANY_CHANGE);
        throw error;
      });
    } catch (error) {
      await client.query("ROLLBACK").catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
    for (const change of announced) this.changes.emit(change);
    return result;
  }

  private async connect(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw new DatabaseUnavailableError((error as Error).message, { cause: error });
    }
  }

  snapshot<T>(body: (reader: Queries) => Promise<T>): Promise<T> {
    return this.inTransaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body);
  }

  /** With a long time-out, because building an index, or waiting for another node to build it, takes long. */
  async script(tx: Transaction, sql: string): Promise<void> {
    const client = this.clients.get(tx);
    if (client === undefined) throw new Error("not a transaction of this database");
    const statements = sql.split(/;\s*$/m).filter((statement) => statement.trim() !== "");
    for (const text of [`SET LOCAL statement_timeout = ${SCRIPT_MS_MAX}`, ...statements]) {
      await control(client, { text, query_timeout: SCRIPT_MS_MAX });
    }
  }

  /** The files belong to the server. */
  checkFile(): void {}

  close(): Promise<void> {
    this.closed ??= this.closeOnce();
    return this.closed;
  }

  /** Does not wait for a server that does not respond; its connections end with the process. */
  private closeOnce(): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = systemClock.after(CLOSE_MS_MAX, resolve);
      Promise.all([this.stopListening(), this.pool.end()])
        .then(() => resolve(), reject)
        .finally(cancel);
    });
  }
}

export async function openPostgres(
  url: string,
  { ids, log }: { ids: Ids; log: Log },
): Promise<Database> {
  const db = new PostgresDatabase(url, ids, log);
  try {
    await pingDatabase(db);
    await db.listen(url, log);
  } catch (error) {
    await db.close().catch(() => undefined);
    throw error;
  }
  db.changes.emit(ANY_CHANGE);
  return db;
}
