/**
 * Pictures for the guide of the WordPress plugin: `node scripts/wordpress-screens.mjs [folder]`. The test that
 * follows a shop from the installed plugin to a refunded order takes them on its way, in a real WordPress.
 */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const home = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(process.argv[2] ?? `${home}docs/pictures`);
/** Pictures take longer than the steps of the test. */
const TIMEOUT_MS = 600_000;
const test = ["packages/wordpress/test/journey.test.ts", `--testTimeout=${TIMEOUT_MS}`];
const { status } = spawnSync("npx", ["vitest", "run", ...test], {
  cwd: home,
  env: { ...process.env, WORDPRESS_PICTURES: folder },
  stdio: "inherit",
});
if (status === 0) console.log(`The pictures are in ${folder}`);
process.exit(status ?? 1);
