/**
 * What a mandate, an owner's overview of thirty days and the lists of decisions and visits cost with two
 * million decisions in the database, beside one with ten thousand: both installations run at the same time
 * and are asked in turn. Beside them, on SQLite, the bare tables: one more row in each, and a page read by
 * its index. On PostgreSQL the processes that serve the installation count too, where the system says what
 * they use; the bare tables are taken not to grow there.
 */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import {
  COPIED,
  fill,
  multiply,
  POSTGRES,
  RECORD,
  recordsLike,
  SMALL,
  SQLITE,
} from "./filled-decisions.mjs";
import { KINDS, openShop, TOKEN } from "./mandates.mjs";
import { onBothDatabases } from "./postgres.mjs";
import { bareRows } from "./servers/bare-rows.mjs";
import { openSqlite } from "./servers/sqlite.mjs";
import { floodBodies, interleaved, load, startServer } from "./serving.mjs";

const LARGE = Number(process.env.BENCH_DECISIONS ?? 2_000_000);
const HOUR_MS = 3_600_000;
const READS = 20;
const BARE_ROWS = 256;
const MANDATES = { requests: 256, connections: 64 };
/** Of what the bare tables grow by. */
const GOAL = 1.1;

const number = (count) => count.toLocaleString("en");

const DECISION = "SELECT * FROM decisions WHERE actor_id <> 'agt_rare' LIMIT 1";
const PAGE =
  "SELECT * FROM decisions WHERE site_key_hash = ? ORDER BY evaluated_at DESC, decision_id DESC LIMIT 50";

async function ownMicros(times, work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/** The tables of an installation on SQLite, without the service. */
function openTables(folder, { siteKeyHash }, count) {
  const db = openSqlite(join(folder, "gatehouse.db"));
  const columns = (name) => db.prepare(`PRAGMA table_info(${name})`).all();
  const columnsOf = Object.fromEntries(
    Object.keys(COPIED).map((name) => [name, columns(name).map((column) => column.name)]),
  );
  for (const sql of [...multiply(count, columnsOf, SQLITE), recordsLike(count, SQLITE)]) {
    db.exec(sql);
  }
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const bare = bareRows(db, generateKeyPairSync("ed25519").privateKey);
  const [decision, record] = [DECISION, RECORD].map((sql) => db.prepare(sql).get());
  const page = db.prepare(PAGE);
  return {
    insert: () =>
      ownMicros(BARE_ROWS, () => {
        db.exec("BEGIN IMMEDIATE");
        for (let n = 0; n < BARE_ROWS; n++) {
          bare.copy("decisions", { ...decision, evaluated_at: Date.now() });
          bare.record({ ...record, chain: "bare" });
        }
        db.exec("COMMIT");
      }),
    list: () =>
      ownMicros(READS, () => {
        for (let n = 0; n < READS; n++) page.all(siteKeyHash);
      }),
  };
}

/** Microseconds a process of this machine was running, as Linux counts them. */
const runMicros = (pid) =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000;

/**
 * Runs `write` without the indexes that hold no constraint, and builds them afterwards: millions of rows
 * in the order of their hours would each change another page of every index.
 */
async function withoutIndexes(client, write) {
  await client.query("SET maintenance_work_mem = '512MB'");
  const { rows } = await client.query(`SELECT indexname, indexdef FROM pg_indexes
    WHERE schemaname = 'public' AND tablename IN ('decisions', 'visits', 'audit_records')
    AND indexname NOT IN (SELECT conname FROM pg_constraint)`);
  for (const { indexname } of rows) await client.query(`DROP INDEX "${indexname}"`);
  await write();
  for (const { indexdef } of rows) await client.query(indexdef);
}

/** A server whose time includes that of the PostgreSQL processes of its database. */
async function withBackends(server, connectionString, count) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows: columns } = await client.query(
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'",
  );
  const namesOf = (table) =>
    columns.filter((one) => one.table_name === table).map((one) => one.column_name);
  const columnsOf = Object.fromEntries(Object.keys(COPIED).map((name) => [name, namesOf(name)]));
  await withoutIndexes(client, async () => {
    for (const sql of [...multiply(count, columnsOf, POSTGRES), recordsLike(count, POSTGRES)]) {
      await client.query(sql);
    }
  });
  await client.query("VACUUM (ANALYZE)");
  const others = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const ask = async (question) => {
    const own = await server.ask(question);
    const { rows } = await client.query(others);
    return rows.reduce((sum, { pid }) => sum + runMicros(pid), own);
  };
  const stop = async () => {
    await client.end();
    server.stop();
  };
  return { ...server, ask, stop };
}

/** An installation with so many decisions, served by a process of its own. */
async function serveFilled(folder, databaseUrl, count) {
  const settings = databaseUrl === undefined ? {} : { GATEHOUSE_DATABASE_URL: databaseUrl };
  const server = startServer("servers/gatehouse.mjs", folder, "1", JSON.stringify(settings));
  const ready = await server.ready;
  const shop = await openShop(ready);
  const headers = { "content-type": "application/json" };
  const body = shop.mandate(KINDS.asks.fields);
  const first = await fetch(shop.url, { method: "POST", headers, body });
  if (!first.ok) throw new Error(await first.text());
  const from = (Math.floor(Date.now() / (24 * HOUR_MS)) - 30) * 24 * HOUR_MS;
  const place = { siteKeyHash: ready.siteKeyHash, from };
  const env = {
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_DATA_DIR: folder,
    GATEHOUSE_ADMIN_TOKEN: TOKEN,
    ...settings,
  };
  await fill(env, place);
  const url = `${ready.url}/v1/admin/sites/${ready.siteKeyHash}`;
  if (databaseUrl === undefined) {
    return { server, shop, url, from, tables: openTables(folder, place, count) };
  }
  return { server: await withBackends(server, databaseUrl, count), shop, url, from };
}

const day = (time) => new Date(time).toISOString().slice(0, 10);

/** What the console asks for. */
const PATHS = {
  "decisions counted by day": ({ from }) => `/decisions/counts?from=${day(from)}T00:00:00Z&by=day`,
  "visits counted by day": ({ from }) => `/visits/counts?from=${day(from)}T00:00:00Z&by=day`,
  "newest decisions": () => "/decisions",
  "decisions of a rare agent": () => "/decisions?agent_id=agt_rare",
  "decisions of one outcome": () => "/decisions?outcome=rejected",
  "the decision about a mandate": () => `/decisions?mandate_id=${randomUUID()}`,
  "decisions about a checkout": () => "/decisions?checkout_id=chk_none",
  "newest visits": () => "/visits",
  "visits of an agent that never came": () => "/visits?agent=NobodyBot",
};

const read = (one, path) => () => {
  const urls = Array.from({ length: READS }, () => one.url + path(one));
  return load(one.server, urls, 1, { authorization: `Bearer ${TOKEN}` });
};

const mandates =
  ({ server, shop }) =>
  () => {
    const bodies = Array.from({ length: MANDATES.requests }, () => shop.mandate(KINDS.asks.fields));
    const headers = { "content-type": "application/json" };
    const { connections } = MANDATES;
    const sent = { url: shop.url, headers, bodies, connections };
    return floodBodies(server, sent, { text: '"approved"' });
  };

/** What it costs at both sizes, and by how much more than the bare table it grows. */
async function grown(both, bare) {
  const [few, many] = await interleaved(both, { baseline: 0 });
  if (bare === undefined) return { few, many, bare: 1 };
  const [, { ratio }] = await interleaved(bare, { baseline: 0 });
  return { few, many, bare: ratio };
}

async function measureDialect(name, urls) {
  const folders = [SMALL, LARGE].map(() => mkdtempSync(join(tmpdir(), "gatehouse-bench-")));
  const both = [];
  for (const [i, count] of [SMALL, LARGE].entries()) {
    both.push(await serveFilled(folders[i], urls[i], count));
  }
  const tables = both.map((one) => one.tables).filter((one) => one !== undefined);
  const bareOf = (kind) => (tables.length === 0 ? undefined : tables.map((one) => one[kind]));
  const results = [["approved mandate", await grown(both.map(mandates), bareOf("insert"))]];
  for (const [title, path] of Object.entries(PATHS)) {
    const runs = both.map((one) => read(one, path));
    results.push([
      title,
      await grown(runs, title === "newest decisions" ? bareOf("list") : undefined),
    ]);
  }
  for (const { server } of both) await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  const isReached = ({ many, bare }) => many.ratio <= GOAL * Math.max(1, bare);
  return {
    missed: !results.every(([, result]) => isReached(result)),
    lines: [
      `## ${number(LARGE)} decisions on ${name}
`,
      `As many visits and records. CPU µs, at ${number(SMALL)} and at ${number(LARGE)}; goal: within ${GOAL} times ` +
        "what the bare table grows by, where that was measured, else within as much of the smaller.\n",
      "| What | fewer | more | grows | bare table | |",
      "|---|---|---|---|---|---|",
      ...results.map(([title, result]) => {
        const { few, many, bare } = result;
        const figures = `${few.micros.toFixed(0)} | ${many.micros.toFixed(0)} | ${many.ratio.toFixed(2)} ×`;
        return `| ${title} | ${figures} | ${bare.toFixed(2)} × | ${isReached(result) ? "reached" : "**MISSED**"} |`;
      }),
      "",
    ],
  };
}

export const measure = () => onBothDatabases(measureDialect, ["few_decisions", "many_decisions"]);
