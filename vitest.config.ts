import { existsSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import type { InlineConfig } from "vitest/node";
import SlowestFirst from "./test/slowest-first.ts";

const source = { conditions: ["gatehouse-source"] };

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

const SERVER_TESTS = "packages/server/test";

/** Files that `npm test` runs on SQLite alone. */
function filesOfOneDatabase(): string[] {
  return readdirSync(SERVER_TESTS, { recursive: true, encoding: "utf8" })
    .map((name) => `${SERVER_TESTS}/${name}`)
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => readFileSync(file, "utf8").includes("TIER_DATABASES"));
}

const ALL = ["{packages/*/test,test,conformance}/**/*.test.ts"];
/**
 * Whole processes: installed from tarballs, deployed, drilled, judged by outside tools, and killed at
 * every named point.
 */
const RELEASE = [
  "test/release/**/*.test.ts",
  "conformance/mcp/official-suite.test.ts",
  "conformance/outside/fetched-tools.test.ts",
  "packages/*/test/**/*crash.test.ts",
];
/** By `--mode`: `npm test` leaves the release tier out. Without a mode any file may be named. */
const TIERS: Readonly<Record<string, Pick<InlineConfig, "include" | "exclude" | "env">>> = {
  short: {
    include: ALL,
    exclude: ["**/node_modules/**", ...RELEASE],
    env: { TIER_DATABASE: "sqlite" },
  },
  release: {
    include: [...RELEASE, ...filesOfOneDatabase()],
    env: { OUTSIDE_TOOLS: "fetch", TIER_DATABASE: "postgres" },
  },
};

/** Tests run from TypeScript source; commands under test run from dist, built by `pretest`. */
export default defineConfig(({ mode }) => ({
  resolve: source,
  ssr: { resolve: source },
  test: {
    reporters: ["default", "./test/coverage-reporter.ts"],
    // Not threads: a child is forked from the memory of all of them, which takes a tenth of a second.
    pool: "forks",
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // All in one: what two projects load is transformed and run twice, and none begins before the one
    // before it has ended.
    ...(TIERS[mode] ?? { include: ALL }),
    globalSetup: ["test/postgres.ts", "test/bundled-command.ts", "conformance/target.ts"],
  },
}));
