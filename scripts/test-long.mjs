/** The long tier: full fuzz counts and crash rounds. Writes its summary to conformance/RESULTS.md. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const FUZZ_RUNS = "1000000";
const CRASH_ROUNDS = "25";
const ROTATION_FETCHES = "10000";
const SURFACE_RUNS = "2000";
const AUDIT_CRASH_ROUNDS = "50";
const LARGE_DAY_RECORDS = "100000";

const SUITES = [
  {
    name: `strict JSON and JCS, ${Number(FUZZ_RUNS).toLocaleString("en")} fuzzed inputs per property`,
    args: [
      "--project",
      "protocol",
      "packages/protocol/test/json-parse",
      "packages/protocol/test/canonicalize",
    ],
    env: { FUZZ_RUNS, FUZZ_SEED: String(Date.now() % 2 ** 31) },
  },
  {
    name: `${CRASH_ROUNDS} crash rounds on each database`,
    args: ["--project", "cli", "packages/cli/test/crash"],
    env: { CRASH_ROUNDS },
  },
  {
    name: `${Number(ROTATION_FETCHES).toLocaleString("en")} cards fetched and verified across five rotations`,
    args: ["--project", "server", "packages/server/test/discovery/editions", "-t", "rotation"],
    env: { ROTATION_FETCHES },
  },
  {
    name: `${Number(SURFACE_RUNS).toLocaleString("en")} random sites, the same skills on every surface`,
    args: ["--project", "server", "packages/server/test/discovery/surfaces"],
    env: { SURFACE_RUNS },
  },
  {
    name: `${AUDIT_CRASH_ROUNDS} rounds of kill -9 at every named point of the audit log, on each database`,
    args: ["--project", "server", "packages/server/test/audit/crash"],
    env: { AUDIT_CRASH_ROUNDS },
  },
  {
    name: `a day of ${Number(LARGE_DAY_RECORDS).toLocaleString("en")} records exported under 200 MB and verified`,
    args: ["--project", "server", "packages/server/test/audit/large-day"],
    env: { LARGE_DAY_RECORDS },
  },
];

const rows = [];
let failed = false;
for (const { name, args, env } of SUITES) {
  console.log(`\n== ${name}`);
  const began = Date.now();
  const { status } = spawnSync("npx", ["vitest", "run", "--testTimeout=7200000", ...args], {
    env: { ...process.env, ...env },
    stdio: "inherit",
  });
  const seconds = Math.round((Date.now() - began) / 1000);
  const seed = env.FUZZ_SEED === undefined ? "" : ` (seed ${env.FUZZ_SEED})`;
  rows.push(`| ${name}${seed} | ${status === 0 ? "passed" : "FAILED"} | ${seconds} s |`);
  failed ||= status !== 0;
}

const day = new Date().toISOString().slice(0, 10);
writeFileSync(
  "conformance/RESULTS.md",
  [
    "# Last long run\n",
    `\`npm run test:long\` on ${day}, Node ${process.versions.node}, ${process.platform} ${process.arch}.\n`,
    "| Suite | Result | Time |\n|---|---|---|",
    ...rows,
    "",
  ].join("\n"),
);
process.exit(failed ? 1 : 0);
