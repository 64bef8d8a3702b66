import { existsSync, statfsSync } from "node:fs";
import { defineConfig, type Plugin } from "vitest/config";
import type { InlineConfig } from "vitest/node";
import SlowestFirst from "./test/slowest-first.ts";
import { filesOf } from "./test/tiers.ts";

const source = { conditions: ["gatehouse-source"] };

const SOURCE_FILE = /^(.*\/packages\/[^/]+)\/src\/(.+)\.ts$/;

/**
 * Resolves imports of source files to what `tsc` built from them. Nothing is transformed, which saves
 * time, and the tests run what users run. Only for commands that build first.
 */
const builtModules: Plugin = {
  name: "gatehouse-built-modules",
  enforce: "pre",
  async resolveId(target, importer) {
    const resolved = await this.resolve(target, importer, { skipSelf: true });
    const [, folder, name] = SOURCE_FILE.exec(resolved?.id ?? "") ?? [];
    const built = `${folder}/dist/${name}.js`;
    return folder !== undefined && existsSync(built) ? { id: built } : resolved;
  },
};

/** Databases of a run, all of them at once, and some to spare. */
const ROOM_BYTES_MIN = 4 * 2 ** 30;
const MEMORY = "/dev/shm";

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ROOM_BYTES_MIN;
}

// Databases of tests live for seconds, and there are hundreds: making one takes a disk ten times as
// long as memory. Workers and helpers read where they are to be; elsewhere it is the usual place.
if (process.env.TEST_FOLDER === undefined && hasRoom(MEMORY)) process.env.TEST_FOLDER = MEMORY;

/**
 * A worker makes everything anew for each test, and runs nothing for long: it compiles little, collects
 * seldom, and leaves the other core alone.
 */
const LITTLE_COMPILED = [
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
  "--single-threaded-gc",
  // Later versions of V8 have no such option, and compile in steps that cost less.
  ...(process.versions.node.startsWith("20.") ? ["--interrupt-budget=300000"] : []),
  "--always-sparkplug",
  "--no-flush-bytecode",
];

/** By `--mode`: `npm test` leaves the release tier out. Without a mode any file may be named. */
const TIERS: Readonly<
  Record<string, Pick<InlineConfig, "include" | "exclude" | "env" | "maxWorkers">>
> = {
  short: {
    include: filesOf.short(),
    env: { TIER_DATABASE: "sqlite", TIER_VIEWS: "2" },
  },
  /** What also runs on macOS and Windows: the libraries and the command. */
  portable: {
    include: ["packages/{protocol,safe-fetch,agent,edge,embed,cli}/test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/*crash.test.ts"],
    env: { TIER_DATABASE: "sqlite" },
  },
  release: {
    // They wait for installations, downloads and processes half of the time.
    maxWorkers: 4,
    include: filesOf.release(),
    env: { OUTSIDE_TOOLS: "fetch", TIER_DATABASE: "postgres" },
  },
};

/**
 * In a tier, tests run what `pretest` built; without a mode they run the TypeScript source. Commands
 * under test run from dist.
 */
export default defineConfig(({ mode }) => ({
  ...(mode in TIERS ? { plugins: [builtModules] } : { resolve: source, ssr: { resolve: source } }),
  test: {
    reporters: ["default", "./test/coverage-reporter.ts"],
    // Not threads: a child is forked from the memory of all of them, which takes a tenth of a second.
    pool: "forks",
    execArgv: LITTLE_COMPILED,
    isolate: false,
    maxWorkers: 3,
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    sequence: { sequencer: SlowestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // All in one: what two projects load is transformed and run twice, and none begins before the one
    // before it has ended.
    ...(TIERS[mode] ?? { include: ["{packages/*/test,test,conformance}/**/*.test.ts"] }),
    globalSetup: ["test/postgres.ts", "test/bundled-command.ts", "conformance/target.ts"],
  },
}));
