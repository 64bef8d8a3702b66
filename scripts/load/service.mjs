/** A service to load: one of its own on this machine, or one that runs already. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { LIMIT_NAMES } from "../../packages/server/dist/config/variables.js";

const BIN = fileURLToPath(new URL("../../packages/cli/bin/gatehouse.js", import.meta.url));
/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_S = 100;

/** Limits that the load would meet: it comes from one address, and one agent. */
function liftedLimits() {
  const lifted = LIMIT_NAMES.filter((name) => /_PER_(?:MINUTE|HOUR)$/.test(name));
  return Object.fromEntries(lifted.map((name) => [`GATEHOUSE_${name}`, "1000000"]));
}

/** CPU seconds that a process has used; with its children, which are the workers. */
function cpuSeconds(pid) {
  if (!existsSync("/proc/self/stat")) return undefined;
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name of the program may contain blanks; what follows its bracket does not.
        return [
          [Number(name), readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1].split(" ")],
        ];
      } catch {
        return [];
      }
    });
  const own = stats.filter(([id, [, parent]]) => id === pid || Number(parent) === pid);
  const ticks = own.map(([, fields]) => Number(fields[11]) + Number(fields[12]));
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_S;
}

/** A service that starts brings the tables of its database up to date: never those of somebody's own. */
async function requireEmpty(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema') LIMIT 1",
    );
    if (rows.length > 0) {
      throw new Error(`The database has a table ${rows[0].table_name}: use an empty database.`);
    }
  } finally {
    await client.end();
  }
}

/** Starts a service on an empty folder, or with a database that is empty. */
export async function startService({ databaseUrl, workers }) {
  if (databaseUrl !== undefined) await requireEmpty(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-load-"));
  const token = randomBytes(24).toString("base64url");
  const env = {
    PATH: process.env.PATH,
    GATEHOUSE_MODE: "development",
    GATEHOUSE_PORT: "0",
    GATEHOUSE_LOG: "error",
    GATEHOUSE_DATA_DIR: folder,
    GATEHOUSE_ADMIN_TOKEN: token,
    ...(databaseUrl === undefined ? {} : { GATEHOUSE_DATABASE_URL: databaseUrl }),
    ...liftedLimits(),
  };
  const args = ["serve", "--workers", String(workers)];
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "close");
  // Whatever ends this program, the service and its folder go with it.
  exited.then(() => rmSync(folder, { recursive: true, force: true }));
  const stop = () => {
    child.kill("SIGTERM");
    return exited;
  };
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => stop().then(() => process.exit(1)));
  }
  let text = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      const [, address] = /listening on {2}(\S+)/.exec(text) ?? [];
      const isReady = workers === 1 ? /operator token/.test(text) : /workers {2}\d/.test(text);
      if (address !== undefined && isReady) resolve(address);
    });
    exited.then(([code]) => reject(new Error(`The service ended with ${code}.`)));
  });
  return {
    url,
    token,
    cpuSeconds: () => cpuSeconds(child.pid),
    stop,
  };
}

/** Asks for the operator token, so that nobody loads a service that is not theirs. */
export async function openService(url, token) {
  const headers = { authorization: `Bearer ${token ?? ""}` };
  const { status } = await fetch(`${url}/v1/admin/sites?limit=1`, { headers });
  if (status !== 200) {
    throw new Error(
      `${url} does not accept GATEHOUSE_ADMIN_TOKEN (${status}): set the operator token.`,
    );
  }
  return { url, token, cpuSeconds: () => undefined, stop: async () => undefined };
}
