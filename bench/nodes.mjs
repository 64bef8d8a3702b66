/**
 * What an approved mandate costs on one, two and four nodes that share a PostgreSQL, each with a site of
 * its own and as many connections as the others. Nodes of different sites have nothing to wait for: how
 * many of their connections wait for a lock is counted meanwhile. Throughput is not compared, because all
 * nodes, PostgreSQL and the senders share the cores of this machine.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { KINDS, openShop } from "./mandates.mjs";
import { startPostgres } from "./postgres.mjs";
import { floodBodies, interleaved, startServer } from "./serving.mjs";

const COUNTS = [1, 2, 4];
const GOAL = 1.25;
const REQUESTS = 256;
const CONNECTIONS = 32;
const SAMPLE_MS = 20;
const HEADERS = { "content-type": "application/json" };
const WAITING =
  "SELECT COUNT(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

async function startNodes(folder, databaseUrl) {
  const settings = JSON.stringify({
    GATEHOUSE_DATABASE_URL: databaseUrl,
    GATEHOUSE_BASE_URL: "http://127.0.0.1:9",
    GATEHOUSE_SECRETS_KEY: "A".repeat(43),
  });
  const nodes = [];
  for (let n = 0; n < Math.max(...COUNTS); n++) {
    const own = mkdtempSync(join(folder, "node-"));
    const server = startServer("servers/gatehouse.mjs", own, "1", settings, `node-${n}`);
    nodes.push({ server, shop: await openShop(await server.ready) });
  }
  return nodes;
}

async function flood({ server, shop }) {
  const bodies = Array.from({ length: REQUESTS }, () => shop.mandate(KINDS.asks.fields));
  const load = { url: shop.url, headers: HEADERS, bodies, connections: CONNECTIONS };
  return floodBodies(server, load, { text: '"approved"' });
}

/** The mean of all nodes that are loaded at the same time. */
const together = (nodes) => async () => {
  const costs = await Promise.all(nodes.map(flood));
  return costs.reduce((sum, one) => sum + one, 0) / nodes.length;
};

/** How many connections wait for a lock, on average over the work. */
async function lockWaits(client, work) {
  let sum = 0;
  let samples = 0;
  let isDone = false;
  const sampling = (async () => {
    while (!isDone) {
      sum += (await client.query(WAITING)).rows[0].waiting;
      samples++;
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  await work();
  isDone = true;
  await sampling;
  return sum / samples;
}

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const database = await startPostgres();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const nodes = await startNodes(folder, database.url);
  try {
    const runs = COUNTS.map((count) => together(nodes.slice(0, count)));
    const costs = await interleaved(runs, { baseline: 0 });
    const waits = [];
    for (const run of runs) waits.push(await lockWaits(client, run));
    const missed = costs.some(({ ratio }) => ratio > GOAL);
    const rows = COUNTS.map((count, i) => {
      const { micros, ratio } = costs[i];
      return `| ${count} | ${micros.toFixed(0)} | ${ratio.toFixed(2)} | ${waits[i].toFixed(2)} |`;
    });
    const head = [
      "## Nodes on one PostgreSQL\n",
      `An approved mandate, ${CONNECTIONS} connections to each node, a site of its own on each.\n`,
      "| Nodes | CPU µs per mandate | Ratio to one node | Connections that wait for a lock |",
      "|---|---|---|---|",
    ];
    const verdict = `Goal: within ${GOAL} times one node. ${missed ? "MISSED" : "Reached"}.`;
    return { lines: [...head, ...rows, "", verdict, ""], missed };
  } finally {
    for (const { server } of nodes) server.stop();
    await client.end();
    database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
