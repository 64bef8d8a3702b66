/**
 * Runs the black-box suites: `npm run conformance` against a service of its own, or
 * `npm run conformance -- --target https://gate.example.com` against a running one, with its
 * operator token in GATEHOUSE_ADMIN_TOKEN.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { target: { type: "string" } } });
const env = { ...process.env, OUTSIDE_TOOLS: "fetch" };
if (values.target !== undefined) {
  if (!env.GATEHOUSE_ADMIN_TOKEN) {
    console.error("Set GATEHOUSE_ADMIN_TOKEN to an operator token of the target.");
    process.exit(2);
  }
  env.GATEHOUSE_TARGET = values.target;
  env.GATEHOUSE_TARGET_TOKEN = env.GATEHOUSE_ADMIN_TOKEN;
}
const { status } = spawnSync("npx", ["vitest", "run", "conformance/"], {
  env,
  stdio: "inherit",
});
process.exit(status ?? 1);
