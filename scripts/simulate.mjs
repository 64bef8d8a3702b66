/**
 * Simulates purchases: `npm run simulate -- --seed 7 --hours 24`. `--seeds 10` runs ten seeds from that one
 * on, `--steps` prints every step.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { bundleSimulation } from "./bundle-simulation.mjs";

const program = await bundleSimulation();
try {
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(program);
}
