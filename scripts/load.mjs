/**
 * Measures what a service can do. Without `--url` it starts one of its own, with a shop and an agent, and
 * removes it afterwards; with `--url` it reads what anybody may read of a site of yours.
 */
import { parseArgs } from "node:util";
import { run } from "./load/run.mjs";
import { openService, startService } from "./load/service.mjs";
import { findShop, openShop } from "./load/shop.mjs";

const USAGE = `Usage: npm run load -- [options]

  --kinds <list>        what to send: card, mcp, mandate, order (all that the target allows)
  --seconds <n>         how long each kind is sent (10)
  --connections <n>     connections at a time (64)
  --database-url <url>  an empty PostgreSQL database for the service that is started; otherwise SQLite
  --workers <n>         processes of that service (1)
  --url <address>       a service that runs already; GATEHOUSE_ADMIN_TOKEN must be its operator token
  --site <domain>       the site of that service to read: its card and its tools
`;
const LIMITS = { seconds: 600, connections: 512, workers: 64 };
const WARM_UP_S = 2;

class UsageError extends Error {}

function readOptions(args) {
  const text = { type: "string" };
  const names = ["kinds", "seconds", "connections", "database-url", "workers", "url", "site"];
  const options = {
    ...Object.fromEntries(names.map((name) => [name, text])),
    help: { type: "boolean" },
  };
  const { values } = parseArgs({ args, options });
  if (values.help) throw new UsageError("");
  const number = (name, fallback) => {
    const value = Number(values[name] ?? fallback);
    if (Number.isInteger(value) && value >= 1 && value <= LIMITS[name]) return value;
    throw new UsageError(`--${name} is a number from 1 to ${LIMITS[name]}.`);
  };
  if ((values.url === undefined) !== (values.site === undefined)) {
    throw new UsageError("--url and --site belong together.");
  }
  return {
    url: values.url?.replace(/\/$/, ""),
    site: values.site,
    databaseUrl: values["database-url"],
    kinds: values.kinds?.split(","),
    seconds: number("seconds", 10),
    connections: number("connections", 64),
    workers: number("workers", 1),
  };
}

/** A kind that is missing is a mistake of whoever asked for it. */
function chosen(requests, kinds = Object.keys(requests)) {
  return kinds.map((name) => {
    if (requests[name] !== undefined) return requests[name];
    throw new UsageError(
      `There is no ${name} here: choose from ${Object.keys(requests).join(", ")}.`,
    );
  });
}

async function measure(service, kind, options) {
  await run(kind, { ...options, url: service.url, seconds: Math.min(WARM_UP_S, options.seconds) });
  const before = service.cpuSeconds();
  const result = await run(kind, { ...options, url: service.url });
  const after = service.cpuSeconds();
  const cpu =
    after === undefined ? "" : String(Math.round(((after - before) / result.count) * 1e6));
  const others = [...result.statuses].filter(([status]) => status !== 200);
  const ms = [result.p50, result.p95, result.p99].map((value) => value.toFixed(1));
  const failed = others.map(
    ([status, count]) => `${count} × ${status === 0 ? "no answer" : status}`,
  );
  const row = [kind.title, result.perSecond.toFixed(0), cpu, ...ms, failed.join(", ") || "none"];
  console.log(`| ${row.join(" | ")} |`);
  return others.length === 0;
}

async function main() {
  const options = readOptions(process.argv.slice(2));
  const { url, site } = options;
  const service =
    url === undefined
      ? await startService(options)
      : await openService(url, process.env.GATEHOUSE_ADMIN_TOKEN);
  try {
    const requests = url === undefined ? await openShop(service) : await findShop(service, site);
    const kinds = chosen(requests, options.kinds);
    console.log(`${service.url}, ${options.connections} connections, ${options.seconds} s each:\n`);
    console.log(
      "| What | answers per second | CPU µs of the service | p50 ms | p95 ms | p99 ms | not answered with 200 |",
    );
    console.log("|---|---|---|---|---|---|---|");
    let isGood = true;
    for (const kind of kinds) isGood = (await measure(service, kind, options)) && isGood;
    process.exitCode = isGood ? 0 : 1;
  } finally {
    await service.stop();
  }
}

await main().catch((error) => {
  const isUsage = error instanceof UsageError || error.code?.startsWith("ERR_PARSE_ARGS");
  console.error([error.message, ...(isUsage ? [USAGE] : [])].filter(Boolean).join("\n\n"));
  process.exitCode = isUsage ? 2 : 1;
});
