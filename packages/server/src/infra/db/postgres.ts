import pg from "pg";
import { systemClock } from "../clock.js";
import type { Ids } from "../ids.js";
import type { Log } from "../log/log.js";
import {
  ANY_CHANGE,
  ChangeFeed,
  type Database,
  DatabaseUnavailableError,
  pingDatabase,
  type Queries,
  type Transaction,
} from "./database.js";
import {
  type Client,
  control,
  PostgresQueries,
  PostgresTransaction,
  types,
} from "./postgres-client.js";
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

class PostgresDatabase extends PostgresQueries implements Database {
  readonly dialect = "postgres";
  readonly changes = new ChangeFeed();
  private readonly pool: pg.Pool;
  /** The connection behind each transaction, for scripts. */
  private readonly clients = new WeakMap<Transaction, Client>();
  /** Marks this process's own notifications, which it ignores. */
  private readonly origin: string;
  private closed: Promise<void> | undefined;
  private stopListening: () => Promise<void> = async () => {};

  constructor(url: string, ids: Ids, log: Log) {
    const pool = new pg.Pool({
      connectionString: url,
      max: CONNECTIONS_MAX,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      statement_timeout: STATEMENT_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
      application_name: "gatehouse",
      pipeline: true,
      types,
    });
    super(pool);
    this.pool = pool;
    this.origin = ids.id("node");
    // An idle connection that breaks is replaced; without a listener it would end the process.
    this.pool.on("error", (error) => log.warn({ error }, "database.connection_lost"));
  }

  async listen(url: string, log: Log): Promise<void> {
    this.stopListening = await listenForChanges(url, this.origin, this.changes, log);
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

  shortTransaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.transaction(body);
  }

  private async inTransaction<T>(begin: string, body: (tx: Transaction) => Promise<T>) {
    const client = await this.connect();
    const raw = new PostgresTransaction(client, this.origin);
    const tx = new WorkingSet(raw);
    this.clients.set(tx, client);
    let broken: Error | undefined;
    // A connection that ends between two queries emits an event, and nothing else listens for it now.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on("error", onError);
    let result: T;
    // Not waited for: it fails only if its connection does, and then so does everything after it.
    const begun = control(client, begin);
    begun.catch(() => undefined);
    try {
      result = await body(tx);
      await tx.write();
      await begun;
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
    for (const change of raw.announced) this.changes.emit(change);
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
