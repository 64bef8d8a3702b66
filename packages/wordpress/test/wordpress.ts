import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../../test/free-port.ts";

const run = promisify(execFile);
/** A real WordPress with WooCommerce, beside the repository and never committed. */
const kit = fileURLToPath(new URL("../../../../shared/wordpress/start", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
export const plugin = fileURLToPath(new URL("../gatehouse", import.meta.url));

/** SQLite everywhere, and MariaDB where somebody asks for it. */
const onMariadb = process.env.TEST_WORDPRESS_DATABASE === "mariadb";

/** PHP with everything WordPress needs, or nothing. */
function phpVersion(database: "mysqli" | "pdo_sqlite"): string | undefined {
  try {
    const code = `echo extension_loaded("${database}") && extension_loaded("curl") ? PHP_VERSION : "";`;
    return execFileSync("php", ["-r", code], { encoding: "utf8" }) || undefined;
  } catch {
    return undefined;
  }
}

export const php = phpVersion(onMariadb ? "mysqli" : "pdo_sqlite");

/** Why WordPress cannot be started here; undefined where it can. */
export const missing =
  php === undefined
    ? `PHP is not installed (php-cli ${onMariadb ? "php-mysql mariadb-server" : "php-sqlite3"} php-xml php-mbstring php-curl)`
    : existsSync(kit)
      ? undefined
      : "there is no WordPress in ../shared/wordpress";
if (missing !== undefined) console.warn(`Tests of the WordPress plugin are skipped: ${missing}.`);

/** Whether a test can have a MariaDB, whatever the others run on. */
export function hasMariadb(): boolean {
  const { error, status } = spawnSync("mariadbd", ["--version"]);
  return missing === undefined && !error && status === 0 && phpVersion("mysqli") !== undefined;
}

/** For the start of a shop in which orders of the sandbox are sales like any other. */
export const TESTS_ARE_SALES = "add_filter( 'gatehouse_keep_tests_apart', static fn() => false );";

export type WordPress = Awaited<ReturnType<typeof startWordPress>>;

/** Starts the kit in its folder, where it may have run before. */
async function launch(args: readonly string[]) {
  const child = spawn(kit, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const [line] = await Promise.race([once(child.stdout, "data"), ended.then(() => [""])]);
  if (String(line) === "") throw new Error("WordPress did not start");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { facts: JSON.parse(String(line)), stop };
}

interface KitOptions {
  /** What visitors and Gatehouse use, where it is not the address of WordPress itself. */
  readonly publicPort?: number;
  /** The address on a domain of its own, instead of one on this machine. */
  readonly publicUrl?: string;
  /** Work in the background runs by itself, as in a live shop. */
  readonly live?: boolean;
  /** How many requests PHP can answer at the same time. */
  readonly workers?: number;
  /** MariaDB in any case. */
  readonly mariadb?: boolean;
}

/** Starts WordPress with the plugin. `more` is PHP that runs before all plugins. */
export async function startWordPress(
  more: (port: number) => string = () => "",
  { publicPort, publicUrl, live = false, workers = 4, mariadb = onMariadb }: KitOptions = {},
) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-wordpress-"));
  const url = publicUrl ?? `http://localhost:${publicPort ?? port}`;
  const args = ["--dir", folder, "--port", String(port), "--url", url, "--plugin", plugin];
  args.push("--workers", String(workers));
  if (live) args.push("--live-cron");
  if (mariadb) args.push("--mariadb");
  let running = await launch(args);
  const { admin_user, admin_password } = running.facts;
  writeFileSync(
    join(folder, "www/wp-content/mu-plugins/gatehouse-test.php"),
    `<?php\n${more(port)}`,
  );
  const call = async (program: string, ...rest: string[]) =>
    (await run(join(folder, program), rest, { maxBuffer: 16 * 2 ** 20 })).stdout;
  return {
    url,
    port,
    folder,
    admin: { log: admin_user as string, pwd: admin_password as string },
    /** Runs PHP with WordPress loaded, as the administrator; what it prints is JSON. */
    evaluate: async (code: string) => JSON.parse(await call("wp-eval", "-r", code)),
    /** Runs a command of the plugin as WP-CLI would, and returns what it prints. */
    command: (name: string, options: Record<string, unknown> = {}, ...words: string[]) =>
      call("wp-eval", join(here, "wp-cli.php"), name, JSON.stringify(options), ...words),
    /** Runs PHP from a file of the tests with a JSON value; what it prints is JSON. */
    evaluateFile: async (file: string, value: unknown) => {
      const input = join(folder, "input.json");
      writeFileSync(input, JSON.stringify(value));
      return JSON.parse(await call("wp-eval", join(here, file), input));
    },
    /** Runs what is due in the background now. */
    background: () => call("wp-eval", "-r", "Gatehouse\\Background::run();"),
    cron: async () => JSON.parse(await call("run-cron", "--ahead", "60")),
    /** Runs a work of Action Scheduler that is scheduled, whenever it is due. */
    work: async (hook: string) => JSON.parse(await call("run-cron", "--hook", hook)),
    /** What PHP has complained about in the plugin. */
    complaints: () =>
      readFileSync(join(folder, "log/php.log"), { encoding: "utf8", flag: "a+" })
        .split("\n")
        .filter((line) => /(?:plugins|wordpress)\/gatehouse\/|Gatehouse\\/.test(line)),
    async restart() {
      await running.stop();
      running = await launch(args);
    },
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
