/**
 * What a request costs with a million sites in the database, beside one with a thousand: both installations
 * run at the same time and are asked in turn. Then the memory of the large one, how long a list and
 * doctor take there, and a day of domain checks on a clock that a day takes no time to pass on.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { siteKeyFrom, UCP_VERSION } from "../packages/protocol/dist/index.js";
import { recheckSites } from "../packages/server/dist/actions/sites/recheck-sites.js";
import { readConfig } from "../packages/server/dist/config/config.js";
import { createContext } from "../packages/server/dist/context.js";
import { insertSite } from "../packages/server/dist/domain/sites/store.js";
import { ManualClock } from "../packages/server/dist/infra/clock.js";
import { doctor } from "../packages/server/dist/maintenance/doctor.js";
import { KINDS, openShop, TOKEN } from "./mandates.mjs";
import { onBothDatabases } from "./postgres.mjs";
import { floodBodies, interleaved, load, startServer } from "./serving.mjs";

const SMALL = 1_000;
const LARGE = Number(process.env.BENCH_SITES ?? 1_000_000);
/** Written in one transaction. */
const BATCH = 5_000;
/** Cards that are asked for, spread over all sites. */
const CARDS = 400;
const HOT_REQUESTS = 4_000;
const CONNECTIONS = 16;
const MANDATES = { requests: 256, connections: 64 };
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MB = 1024 * 1024;
/** Costs the same, but for a deeper index and what a machine does besides. */
const GOALS = { ratio: 1.2, memoryMb: 400, seconds: 1 };

const environment = (folder, databaseUrl) => ({
  GATEHOUSE_MODE: "development",
  GATEHOUSE_DATA_DIR: folder,
  GATEHOUSE_ADMIN_TOKEN: TOKEN,
  GATEHOUSE_LOG: "silent",
  ...(databaseUrl === undefined ? {} : { GATEHOUSE_DATABASE_URL: databaseUrl }),
});

function nthSite(n, count, now) {
  const siteKey = siteKeyFrom(randomBytes(32));
  const domain = `filled-${n}.example.com`;
  const ids = ["get_pricing", "sign_up", "contact_support", "get_status"];
  return {
    siteKey,
    ucpVersion: UCP_VERSION,
    siteKeyHash: createHash("sha256").update(siteKey).digest("base64url"),
    domain,
    name: `Filled ${n}`,
    description: "",
    picture: null,
    skills: ids.map((id) => ({ id, enabled: true, url: `https://${domain}/${id}` })),
    auditPublic: "full",
    provider: null,
    policyPublished: false,
    publishedFeeds: { formats: [], condition: "new" },
    hourStartMinute: 0,
    pausedAt: null,
    status: "verified",
    version: 1,
    verification: {
      token: randomBytes(24).toString("base64url"),
      method: "dns",
      reason: null,
      verifiedAt: now - DAY_MS,
      // Verified at all hours of the last day.
      checkedAt: now - Math.floor((n / count) * DAY_MS),
      failedDays: 0,
      problem: null,
    },
    createdAt: now - count + n,
    changedAt: now,
  };
}

/** What a PostgreSQL does by itself within a minute; the one of this bench does not. */
async function vacuum(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("VACUUM (ANALYZE) sites");
  await client.end();
}

/** Fills an installation with verified sites; the hashes of some of them, spread over all. */
async function fill(env, count, now) {
  const context = await createContext(readConfig(env));
  const some = [];
  for (let from = 0; from < count; from += BATCH) {
    const sites = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) =>
      nthSite(from + i, count, now),
    );
    await context.db.transaction(async (tx) => {
      for (const site of sites) await insertSite(tx, site);
    });
    for (const [i, { siteKeyHash }] of sites.entries()) {
      if ((from + i) % Math.ceil(count / CARDS) === 0) some.push(siteKeyHash);
    }
  }
  if (context.db.dialect === "postgres") await vacuum(env.GATEHOUSE_DATABASE_URL);
  await context.close();
  return some;
}

/** An installation with its sites, served by a process of its own. */
async function serveFilled({ folder, databaseUrl, count, now }) {
  const hashes = await fill(environment(folder, databaseUrl), count, now);
  const settings = databaseUrl === undefined ? {} : { GATEHOUSE_DATABASE_URL: databaseUrl };
  const server = startServer("servers/gatehouse.mjs", folder, "1", JSON.stringify(settings));
  const ready = await server.ready;
  server.url = ready.url;
  const cards = hashes.map((hash) => `${ready.url}/v1/agent-card/${hash}.json`);
  return { server, shop: await openShop(ready), cards };
}

const hot =
  ({ server, cards }) =>
  () =>
    load(
      server,
      Array.from({ length: HOT_REQUESTS }, () => cards[0]),
      CONNECTIONS,
    );
const cold =
  ({ server, cards }) =>
  async () => {
    await server.ask("forget");
    return load(server, cards, CONNECTIONS);
  };
const mandates =
  ({ server, shop }) =>
  () => {
    const bodies = Array.from({ length: MANDATES.requests }, () => shop.mandate(KINDS.asks.fields));
    const { connections } = MANDATES;
    const headers = { "content-type": "application/json" };
    return floodBodies(
      server,
      { url: shop.url, headers, bodies, connections },
      { text: '"approved"' },
    );
  };

async function seconds(work) {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
}

/** The first page, one in the middle, and the last. */
async function listSites({ server }) {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${server.url}/v1/admin/sites?limit=200`, { headers });
  if (!response.ok) throw new Error(await response.text());
  await response.json();
}

/** A day of checks, run every minute as the job does; how many sites were checked, and what one cost. */
async function checkDay(env, now) {
  const clock = new ManualClock(now);
  let asked = 0;
  const txt = async () => {
    asked++;
    return [];
  };
  const overrides = { clock, resolver: { txt, addresses: async () => [] } };
  const context = await createContext(readConfig(env), {
    ...overrides,
    databaseTime: async () => clock.now(),
  });
  const before = process.cpuUsage();
  for (let minute = 0; minute < DAY_MS / MINUTE_MS; minute++) {
    clock.advance(MINUTE_MS);
    await recheckSites(context);
  }
  const { user, system } = process.cpuUsage(before);
  await context.close();
  return { asked, micros: (user + system) / asked };
}

const row = (name, value, goal, isReached) =>
  `| ${name} | ${value} | ${goal} | ${isReached ? "reached" : "**MISSED**"} |`;

async function measureDialect(name, urls) {
  const now = Date.now();
  const folders = [SMALL, LARGE].map(() => mkdtempSync(join(tmpdir(), "gatehouse-bench-")));
  const [small, large] = await Promise.all(
    [SMALL, LARGE].map((count, i) =>
      serveFilled({ folder: folders[i], databaseUrl: urls[i], count, now }),
    ),
  );
  const rows = [];
  let missed = false;
  const add = (title, value, goal, isReached) => {
    rows.push(row(title, value, goal, isReached));
    missed ||= !isReached;
  };
  for (const [title, make] of Object.entries({
    "hot card": hot,
    "cold card": cold,
    mandate: mandates,
  })) {
    const [few, many] = await interleaved([make(small), make(large)]);
    const ratio = many.micros / few.micros;
    const value = `${many.micros.toFixed(0)} µs, ${ratio.toFixed(2)} × that of ${SMALL.toLocaleString("en")} (${few.micros.toFixed(0)} µs)`;
    add(`${title}, CPU`, value, `≤ ${GOALS.ratio} ×`, ratio <= GOALS.ratio);
  }
  const memory = (await large.server.ask("memory")) / MB;
  add(
    "memory (RSS)",
    `${memory.toFixed(0)} MB`,
    `≤ ${GOALS.memoryMb} MB`,
    memory <= GOALS.memoryMb,
  );
  const listed = await seconds(() => listSites(large));
  add("list of sites", `${listed.toFixed(2)} s`, `≤ ${GOALS.seconds} s`, listed <= GOALS.seconds);
  const env = environment(folders[1], urls[1]);
  const checked = await seconds(() => doctor(env));
  add("doctor", `${checked.toFixed(2)} s`, `≤ ${GOALS.seconds} s`, checked <= GOALS.seconds);
  for (const { server } of [small, large]) server.stop();
  const { asked, micros } = await checkDay(env, now);
  const all = asked >= LARGE;
  add(
    "domain checks in a simulated day",
    `${asked.toLocaleString("en")}, ${micros.toFixed(0)} µs CPU each`,
    `${LARGE.toLocaleString("en")}`,
    all,
  );
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  const head = [
    `## ${LARGE.toLocaleString("en")} sites on ${name}\n`,
    "| What | Figure | Goal | |",
    "|---|---|---|---|",
  ];
  return { lines: [...head, ...rows, ""], missed };
}

export const measure = () => onBothDatabases(measureDialect, ["sites_small", "sites_large"]);
