import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { doAtOnce } from "./at-once.ts";
import { failureText } from "./failure-text.ts";
import { type RunResult, runSeed } from "./run.ts";
import { openShop } from "./shop.ts";

const MEMORY = "/dev/shm";

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** Code of a process that has crashed goes on in this one until it is stopped at a seam. */
function ignoreCrashed(): void {
  process.on("unhandledRejection", (error) => {
    if ((error as Error).name !== "CrashedError") throw error;
  });
}

function reportOf(result: RunResult, hours: number): string {
  const { seed, steps, orders, crashes, digest, failure } = result;
  if (failure !== undefined) return failureText(result, hours);
  const times = Object.values(crashes).reduce((sum, one) => sum + one, 0);
  return `Seed ${seed}: ${steps} steps, ${orders} orders, ${times} crashes, trace ${digest}`;
}

/** Each seed that is named, and as many after it as were asked for. */
function seedsOf(named: readonly string[], count: number): readonly number[] {
  return named.flatMap((seed) => Array.from({ length: count }, (_, n) => Number(seed) + n));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", multiple: true, default: ["1"] },
      hours: { type: "string", default: "1" },
      seeds: { type: "string", default: "1" },
      /** Prints every step. */
      steps: { type: "boolean", default: false },
      /** One line of JSON for each seed. */
      json: { type: "boolean", default: false },
    },
  });
  doAtOnce();
  ignoreCrashed();
  const hours = Number(values.hours);
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "gatehouse-simulation-"));
  try {
    const template = join(folder, "template");
    const shop = await openShop(template);
    for (const seed of seedsOf(values.seed, Number(values.seeds))) {
      const options = { seed, folder, shop, template, print: values.steps ? print : undefined };
      const result = await runSeed(options, hours);
      print(values.json ? JSON.stringify(result) : reportOf(result, hours));
      if (result.failure !== undefined) process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
