import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import { createApp } from "../src/app.ts";
import { type Config, type Environment, readConfig } from "../src/config/config.ts";
import { type Context, createContext, type Overrides } from "../src/context.ts";
import { listen } from "../src/http/server/server.ts";
import { type ManualClock, systemClock } from "../src/infra/clock.ts";
import type { Dialect } from "../src/infra/db/database.ts";
import { migrate } from "../src/infra/db/migrate.ts";
import { openPostgres } from "../src/infra/db/postgres.ts";
import { openSqlite } from "../src/infra/db/sqlite.ts";
import { systemIds } from "../src/infra/ids.ts";
import { installationExists, sqlitePath } from "../src/infra/installation/open.ts";
import { createLog } from "../src/infra/log/log.ts";
import { planJobs } from "../src/jobs.ts";
import { send, type TestAnswer, testAnswer } from "./http-client.ts";
import { Sweep, sweepAnswers, sweepFolder, sweepPostgres } from "./secret-scan.ts";
import { asTestsRun } from "./twice.ts";

/** For what depends on the database: SQL, transactions, concurrency, commits, migrations. */
export const DATABASES: readonly Dialect[] = ["sqlite", "postgres"];
/**
 * For everything else, whose rules and words are the same on each: `npm test` takes SQLite, the
 * release tier PostgreSQL, and a run of named files both.
 */
export const TIER_DATABASES = DATABASES.filter(
  (dialect) => dialect === (process.env.TIER_DATABASE ?? dialect),
);
export const OPERATOR_TOKEN = "operator-token-of-the-tests-0123456789";

/** A moment for clocks that stand still; any would do. */
export const NOON = Date.UTC(2030, 4, 17, 12, 0, 0);

const leftovers: (() => unknown)[] = [];

/** Cleans up after the test, or, when set up for a group, when the group calls {@link cleanUp}. */
function whenDone(task: () => unknown): void {
  try {
    onTestFinished(task as () => void);
  } catch {
    leftovers.push(task);
  }
}

/** What a group's `beforeAll` returns, so that what it started is stopped. */
export async function cleanUp(): Promise<void> {
  for (const task of leftovers.splice(0).reverse()) await task();
}

/** A folder that is gone when the test is over. Nothing in it may be secret, unless it is a sender's. */
export function temporaryFolder({ ofSender = false } = {}): string {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), "gatehouse-test-"));
  whenDone(() => {
    try {
      if (!ofSender) sweepFolder(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return folder;
}

async function connectTo(database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: `${inject("postgresSocketUrl")}${database}` });
  await client.connect();
  return client;
}

/** Makes databases. One connection for each worker, because each takes a process of the server. */
let adminClient: Promise<pg.Client> | undefined;

async function connectOnce(): Promise<pg.Client> {
  const client = await connectTo("postgres");
  // It is never closed: nothing may wait for it.
  (client.connection.stream as Socket).unref();
  return client;
}

const newName = () => `t_${randomBytes(8).toString("hex")}`;

/** The database is looked through for secrets when the test is over. */
function sweptPostgres(name: string): void {
  whenDone(async () => {
    const client = await connectTo(name);
    try {
      await sweepPostgres(client);
    } finally {
      await client.end();
    }
  });
}

/** An empty database of its own on the run's PostgreSQL, over TCP and with a password. */
export async function freshPostgres(): Promise<string> {
  const name = newName();
  adminClient ??= connectOnce();
  await (await adminClient).query(`CREATE DATABASE ${name}`);
  sweptPostgres(name);
  return `${inject("postgresUrl")}${name}`;
}

const TEMPLATE = "gatehouse_migrated";
/** Any fixed number: holds other workers off while one makes the template. */
const TEMPLATE_LOCK = 4_217_002;

/** Made once for the run, by whichever worker is first; each asks once. */
let template: Promise<void> | undefined;

async function makeTemplate(admin: pg.Client): Promise<void> {
  await admin.query(`SELECT pg_advisory_lock(${TEMPLATE_LOCK})`);
  const made = await admin.query("SELECT 1 FROM pg_database WHERE datname = $1", [TEMPLATE]);
  if (made.rowCount === 0) {
    const unfinished = newName();
    await admin.query(`CREATE DATABASE ${unfinished}`);
    const tools = { ids: systemIds, log: createLog("silent") };
    const db = await openPostgres(`${inject("postgresSocketUrl")}${unfinished}`, tools);
    await migrate(db, { now: systemClock.now() });
    await db.close();
    await admin.query(`ALTER DATABASE ${unfinished} RENAME TO ${TEMPLATE}`);
  }
  await admin.query(`SELECT pg_advisory_unlock(${TEMPLATE_LOCK})`);
}

/** One with this build's schema, over the socket: migrated once for the run, and copied from then on. */
async function migratedPostgres(): Promise<string> {
  const name = newName();
  adminClient ??= connectOnce();
  const admin = await adminClient;
  template ??= makeTemplate(admin);
  await template;
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
  sweptPostgres(name);
  return `${inject("postgresSocketUrl")}${name}`;
}

/** The bytes of a SQLite file with this build's schema, migrated once for each worker. */
let migratedFile: Promise<Buffer> | undefined;

async function migrateFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), "gatehouse-schema-"));
  const path = join(folder, "migrated.db");
  const db = openSqlite(path);
  await migrate(db, { now: systemClock.now() });
  await db.close();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

/** Puts a copy where an installation on SQLite is about to begin. */
async function spareMigrations(config: Config): Promise<void> {
  const isNew = existsSync(config.dataDir) && !installationExists(config);
  if (!isNew) return;
  migratedFile ??= migrateFile();
  writeFileSync(sqlitePath(config), await migratedFile, { mode: 0o600 });
}

/** Environment of an installation of its own, on either database. */
export async function freshEnvironment(dialect: Dialect): Promise<Record<string, string>> {
  return {
    GATEHOUSE_MODE: "development",
    GATEHOUSE_PORT: "0",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_DATA_DIR: temporaryFolder(),
    GATEHOUSE_ADMIN_TOKEN: OPERATOR_TOKEN,
    ...(dialect === "postgres" ? { GATEHOUSE_DATABASE_URL: await migratedPostgres() } : {}),
  };
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly context: Context;
  readonly env: Environment;
  /** A request as the operator; a body is sent as JSON. */
  admin(method: string, path: string, body?: unknown, token?: string): Promise<TestAnswer>;
  stop(): Promise<void>;
}

export type { TestAnswer };

export async function answerOf(response: Response): Promise<TestAnswer> {
  return testAnswer(response.status, response.headers, await response.text());
}

/** Resolves when somebody begins to wait for this long. */
export function whenWaiting(clock: ManualClock, forMs: number): Promise<void> {
  return new Promise((resolve) => {
    const after = clock.after.bind(clock);
    clock.after = (ms, task) => {
      if (ms === forMs) queueMicrotask(resolve);
      return after(ms, task);
    };
  });
}

/** Sends bytes as they are and returns everything that comes back. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("end", () => resolve(answer));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

/**
 * The real service on a real port, composed as in production but for what a test replaces. Whatever
 * it logs or answers is looked through for secrets.
 */
export async function startServer(
  env: Environment,
  overrides: Overrides = {},
): Promise<TestServer> {
  const listener = await listen({ ...readConfig(env), clock: systemClock });
  const config = readConfig({ ...env, GATEHOUSE_PORT: String(listener.port) });
  await spareMigrations(config);
  const sweep = new Sweep();
  const log = createLog("debug", (line) => sweep.note("a line of the log", line));
  // On a clock of its own a test moves the database's time along with it, unless it says otherwise.
  const { clock } = overrides;
  const databaseTime = clock === undefined ? {} : { databaseTime: async () => clock.now() };
  const replaced = { log, database: asTestsRun, ...databaseTime, ...overrides };
  const context = await createContext(config, replaced);
  planJobs(context);
  await context.jobs.start();
  listener.measure(context.metrics);
  listener.serve(sweepAnswers(sweep, createApp(context)));
  const scheme = config.tls === undefined ? "http" : "https";
  const url = `${scheme}://127.0.0.1:${listener.port}`;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    context.streams.endAll();
    stopped ??= listener.stop().then(() => context.close());
    return stopped;
  };
  whenDone(async () => {
    await stop();
    sweep.end();
  });
  return {
    url,
    port: listener.port,
    context,
    env,
    stop,
    async admin(method, path, body, token = OPERATOR_TOKEN) {
      const init = {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      };
      const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
      return send(url + path, sent);
    },
  };
}

/** A site of its own, verified by the operator's word unless told otherwise. */
export async function createSite(server: TestServer, domain: string, verified = true) {
  const { body } = await server.admin("POST", "/v1/admin/sites", { domain, name: domain });
  if (!verified) return body;
  const path = `/v1/admin/sites/${body.site_key_hash}/verify`;
  const done = await server.admin("POST", path, { method: "operator", reason: "a test" });
  return done.body;
}
