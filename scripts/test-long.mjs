/**
 * The long tier: full fuzz counts and crash rounds. Writes its summary to conformance/RESULTS.md;
 * `npm run test:long -- audit-crash` runs one suite and replaces its line.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const FUZZ_RUNS = "1000000";
const CRASH_ROUNDS = "25";
const ROTATION_FETCHES = "10000";
const SURFACE_RUNS = "2000";
const AUDIT_CRASH_ROUNDS = "50";
const LARGE_DAY_RECORDS = "100000";
const MCP_FUZZ_RUNS = "20000";
const MCP_SESSIONS = "10000";
const HALF_SENT = "600";
const ADVERSARY_MINUTES = "1440";
const IDLE_SOCKETS = "10000";
const CRASH_BEACONS = "20000";
const MANDATE_FUZZ_RUNS = "1000000";
const FORGED_MANDATES = "10000";
const FAULT_SCHEDULES = "500";
const DECIDE_CRASH_ROUNDS = "5";
const OUTBOX_CRASH_ROUNDS = "10";
const REFUND_ORDERS = "50";
const NODES = "4";
const NODE_KILLS = "10";
const DRAFT_RUNS = "200";
const REFUSAL_SCHEDULES = "100";
const SIMULATION_SEEDS = "2000";
const SHOP_SCHEDULES = 300;
const SHOPS_AT_ONCE = 3;
/** Another database changes how the shop locks and rounds, not what is bought in it. */
const MARIADB_SCHEDULES = "30";
const SHOP_PRODUCTS = "10000";
const PAGE_PAIRS = "100";
/** What the comparison of pages measured. */
const PAGE_FIGURES = ".cache/page-figures.txt";
/** What the test of a large shop measured. */
const SHOP_FIGURES = ".cache/shop-figures.txt";
/** Seeds that passed. A run that is interrupted goes on from there. */
const SIMULATION_DONE = ".cache/simulation-days.json";

const SUITES = [
  {
    key: "json",
    name: `strict JSON and JCS, ${Number(FUZZ_RUNS).toLocaleString("en")} fuzzed inputs per property`,
    args: ["packages/protocol/test/json-parse", "packages/protocol/test/canonicalize"],
    env: { FUZZ_RUNS, FUZZ_SEED: String(Date.now() % 2 ** 31) },
  },
  {
    key: "crash",
    name: `${CRASH_ROUNDS} crash rounds on each database`,
    args: ["packages/cli/test/crash"],
    env: { CRASH_ROUNDS },
  },
  {
    key: "rotation",
    name: `${Number(ROTATION_FETCHES).toLocaleString("en")} cards fetched and verified across five rotations`,
    args: ["packages/server/test/discovery/document-freshness", "-t", "rotation"],
    env: { ROTATION_FETCHES },
  },
  {
    key: "surfaces",
    name: `${Number(SURFACE_RUNS).toLocaleString("en")} random sites, the same skills on every surface`,
    args: ["packages/server/test/discovery/surfaces"],
    env: { SURFACE_RUNS },
  },
  {
    key: "audit-crash",
    name: `${AUDIT_CRASH_ROUNDS} rounds of kill -9 at every named point of the audit log, on each database`,
    args: ["packages/server/test/audit/crash"],
    env: { AUDIT_CRASH_ROUNDS },
  },
  {
    key: "audit-day",
    name: `a day of ${Number(LARGE_DAY_RECORDS).toLocaleString("en")} records exported under 200 MB and verified`,
    args: ["packages/server/test/audit/large-day"],
    env: { LARGE_DAY_RECORDS },
  },
  {
    key: "beacon-crash",
    name: `${Number(CRASH_BEACONS).toLocaleString("en")} beacons and a kill -9 on each database, every answered one kept`,
    args: ["packages/cli/test/beacon-crash"],
    env: { CRASH_BEACONS },
  },
  {
    key: "mcp-fuzz",
    name: `${Number(MCP_FUZZ_RUNS).toLocaleString("en")} fuzzed bodies sent to an MCP server`,
    args: ["packages/server/test/mcp/fuzz"],
    env: { MCP_FUZZ_RUNS, FUZZ_SEED: String(Date.now() % 2 ** 31) },
  },
  {
    key: "half-sent",
    name: `${HALF_SENT} half-sent bodies at each door, memory bounded; ${Number(IDLE_SOCKETS).toLocaleString("en")} idle connections of one address`,
    args: ["packages/server/test/admission/bodies", "packages/server/test/admission/sockets"],
    env: { HALF_SENT, IDLE_SOCKETS },
  },
  {
    key: "adversary",
    name: `a simulated day of ${ADVERSARY_MINUTES} minutes under attack from 1,000 addresses, every honest purchase made at once, on each database`,
    args: ["packages/server/test/admission/adversary"],
    env: { ADVERSARY_MINUTES, ADVERSARY_ATTACKS: "20" },
  },
  {
    key: "mcp-sessions",
    name: `${Number(MCP_SESSIONS).toLocaleString("en")} MCP sessions of one address, its limit and memory as before`,
    args: ["packages/server/test/mcp/limits", "-t", "sessions"],
    env: { MCP_SESSIONS },
  },
  {
    key: "mandate-fuzz",
    name: `${Number(MANDATE_FUZZ_RUNS).toLocaleString("en")} fuzzed mandates, and ${Number(FORGED_MANDATES).toLocaleString("en")} forged ones that name a victim`,
    args: ["packages/server/test/mandates/fuzz"],
    env: { MANDATE_FUZZ_RUNS, FORGED_MANDATES, FUZZ_SEED: String(Date.now() % 2 ** 31) },
  },
  {
    key: "nodes",
    name: `${NODES} nodes on one PostgreSQL under load, one killed every minute ${NODE_KILLS} times: each mandate decided once, every log intact`,
    args: ["packages/server/test/mandates/nodes-crash"],
    env: { NODES, NODE_KILLS, NODE_KILL_EVERY_MS: "60000" },
  },
  {
    key: "drafts",
    name: `${DRAFT_RUNS} random drafts tried on random pasts, on each database, counted as a slow count does`,
    args: ["packages/server/test/mandates/draft-test-cost", "-t", "slow count"],
    env: { DRAFT_RUNS },
  },
  {
    key: "payment-faults",
    name: `${FAULT_SCHEDULES} seeded schedules of processor faults on each database, all books agree`,
    args: ["packages/server/test/selling/failure-schedules"],
    env: { FAULT_SCHEDULES },
  },
  {
    key: "refund-orders",
    name: `refunds told in ${REFUND_ORDERS} orders of chance, on each database`,
    args: ["packages/server/test/orders/refunds-and-disputes", "-t", "in parts"],
    env: { REFUND_ORDERS },
  },
  {
    key: "outbox-crash",
    name: `${OUTBOX_CRASH_ROUNDS} rounds of kill -9 while a platform is told of its orders, on each database`,
    args: ["packages/server/test/orders/crash"],
    env: { OUTBOX_CRASH_ROUNDS },
  },
  {
    key: "payment-crash",
    name: `${DECIDE_CRASH_ROUNDS} rounds of kill -9 at every named point of a payment, a completion, a payment page, a reservation, a refund and their commits, on each database`,
    args: [
      "packages/server/test/connectors/crash",
      "packages/server/test/orders/change-crash",
      "packages/server/test/selling/crash",
      "packages/server/test/ucp/crash",
      "packages/server/test/ucp/hand-off-crash",
    ],
    env: { DECIDE_CRASH_ROUNDS },
  },
  {
    key: "refusal-counts",
    name: `${REFUSAL_SCHEDULES} schedules of failures, retries and steps in time on each database, every refusal counted once`,
    args: ["packages/server/test/mandates/counted-rejections"],
    env: { REFUSAL_SCHEDULES },
  },
  {
    key: "simulation",
    name: `a simulated day of purchases for each of ${Number(SIMULATION_SEEDS).toLocaleString("en")} seeds, every invariant after every step`,
    args: ["packages/server/test/simulation/simulation"],
    env: { SIMULATION_SEEDS, SIMULATION_HOURS: "24", SIMULATION_DONE },
    reached: () => `${JSON.parse(readFileSync(SIMULATION_DONE, "utf8")).seeds.length} seeds so far`,
  },
  {
    key: "wordpress",
    name: `${SHOP_SCHEDULES} seeded schedules of purchases and changes in WooCommerce and Gatehouse, messages and requests lost, late and repeated, either side stopped or killed: all books agree`,
    args: ["packages/wordpress/test/schedules"],
    // They wait more than they compute, so several shops trade at once.
    parts: Array.from({ length: SHOPS_AT_ONCE }, (_, n) => ({
      SHOP_SCHEDULES: String(SHOP_SCHEDULES / SHOPS_AT_ONCE),
      SHOP_SEED: String(1 + (n * SHOP_SCHEDULES) / SHOPS_AT_ONCE),
    })),
    env: {},
  },
  {
    key: "wordpress-killed",
    name: "a worker of PHP, or its connection with MariaDB, killed at every query of a reservation, an order, its changes, its cancellation and changes of the owner: nothing lost, nothing twice",
    args: ["packages/wordpress/test/killed"],
    env: { SHOP_KILL_STEP: "1" },
  },
  {
    key: "wordpress-scale",
    name: `a WooCommerce shop with ${Number(SHOP_PRODUCTS).toLocaleString("en")} products: full list, a change, quotes`,
    args: ["packages/wordpress/test/scale"],
    env: { SHOP_PRODUCTS, SHOP_FIGURES },
    reached: () => (existsSync(SHOP_FIGURES) ? readFileSync(SHOP_FIGURES, "utf8") : ""),
  },
  {
    key: "wordpress-mariadb",
    name: `stock, reservations, orders, products and the life of the WordPress plugin on MariaDB, and ${MARIADB_SCHEDULES} seeded schedules: all books agree`,
    args: [
      "connector-orders",
      "connector-quotes",
      "failed-steps",
      "shop-orders",
      "shop-products",
      "lifecycle",
      "schedules",
    ].map((file) => `packages/wordpress/test/${file}.test.ts`),
    env: { TEST_WORDPRESS_DATABASE: "mariadb", SHOP_SCHEDULES: MARIADB_SCHEDULES },
  },
  {
    key: "wordpress-page",
    name: `${PAGE_PAIRS} pages of a WooCommerce shop with the plugin and without it, in turn`,
    args: ["packages/wordpress/test/plugin.test.ts", "-t", "a visitor's page"],
    env: { PAGE_PAIRS, PAGE_FIGURES },
    reached: () => (existsSync(PAGE_FIGURES) ? readFileSync(PAGE_FIGURES, "utf8") : ""),
  },
  {
    key: "outside",
    name: "programs of other people: the suite spck, eight MCP clients, Shopify's command for UCP, inspectors and validators",
    args: ["spck", "mcp-clients", "ucp-cli", "fetched-tools"].map(
      (name) => `conformance/outside/${name}`,
    ),
    env: { OUTSIDE_TOOLS: "fetch" },
  },
  {
    key: "twice",
    name: "every test of the server, each of its transactions run twice",
    args: ["packages/server/test"],
    env: { TEST_TWICE: "1" },
  },
  {
    key: "drill",
    name: "the operator's drill from the first schema to a restored log, on each database",
    args: ["test/release/drill"],
    env: { DRILL_POSTGRES: "1" },
  },
  {
    key: "upgrade",
    name: "0.1.0, built from the history, upgraded to this version and back as the document says, in a folder and as a service, on each database",
    args: ["test/release/upgrade"],
    env: { UPGRADE_FROM: "history" },
  },
];

const RESULTS = "conformance/RESULTS.md";
const keys = process.argv.slice(2);
const unknown = keys.filter((key) => !SUITES.some((suite) => suite.key === key));
if (unknown.length > 0) {
  const known = SUITES.map(({ key }) => key).join(", ");
  console.error(`There is no suite ${unknown.join(", ")}. There are: ${known}.`);
  process.exit(2);
}

const day = new Date().toISOString().slice(0, 10);
const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}`;
/** Lines of suites, by key: those of before, until they are run again. */
const lines = new Map(
  [...readFileSync(RESULTS, "utf8").matchAll(/^\| `([\w-]+)` \|.*$/gm)].map(([line, key]) => [
    key,
    line,
  ]),
);
/** Runs tests, and says whether they passed. */
const run = (args, env) =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, stdio: "inherit" };
    spawn("npx", ["vitest", "run", "--testTimeout=7200000", ...args], options).on("close", (code) =>
      resolve(code === 0),
    );
  });
let failed = false;
for (const { key, name, args, env, parts = [{}], reached = () => "" } of SUITES) {
  if (keys.length > 0 && !keys.includes(key)) continue;
  console.log(`\n== ${name}`);
  const began = Date.now();
  const passed = await Promise.all(parts.map((part) => run(args, { ...env, ...part })));
  const isPassed = passed.every(Boolean);
  const seconds = Math.round((Date.now() - began) / 1000);
  const seed = env.FUZZ_SEED === undefined ? "" : ` (seed ${env.FUZZ_SEED})`;
  const result = [isPassed ? "passed" : "FAILED", reached()].filter(Boolean).join(", ");
  lines.set(key, `| \`${key}\` | ${name}${seed} | ${result} | ${seconds} s | ${day}, ${machine} |`);
  failed ||= !isPassed;
}

const rows = SUITES.flatMap(({ key }) => lines.get(key) ?? []);
writeFileSync(
  RESULTS,
  [
    "# Last long runs\n",
    "`npm run test:long`, each suite when it was last run.\n",
    "| Suite | What | Result | Time | When |\n|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n"),
);
process.exit(failed ? 1 : 0);
