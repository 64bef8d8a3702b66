import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { RunResult } from "../../simulation/run.ts";

/** Processes that simulate at a time. */
export const WORKERS = 2;

interface Runs {
  readonly hours: number;
  /** Seeds that a process runs one after the other. */
  readonly batch: number;
  /** Called with each result; false ends the runs after those that have begun. */
  heard?(result: RunResult): boolean;
}

/** Runs seeds in one process. Every result is a line. */
async function runBatch(
  program: string,
  seeds: readonly number[],
  hours: number,
  heard: (result: RunResult) => void,
): Promise<void> {
  const args = [
    "--json",
    "--hours",
    String(hours),
    ...seeds.flatMap((one) => ["--seed", `${one}`]),
  ];
  const child = spawn(process.execPath, ["--max-semi-space-size=64", program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (text) => {
    complaint += text;
  });
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    count++;
    heard(JSON.parse(line));
  }
  if (count < seeds.length) throw new Error(`a simulation ended early: ${complaint}`);
}

/** Runs seeds on all workers; the results, by seed. */
export async function runSeeds(
  program: string,
  seeds: readonly number[],
  { hours, batch, heard = () => true }: Runs,
): Promise<readonly RunResult[]> {
  const waiting = [...seeds];
  const results: RunResult[] = [];
  let goesOn = true;
  const work = async () => {
    while (goesOn && waiting.length > 0) {
      await runBatch(program, waiting.splice(0, batch), hours, (result) => {
        results.push(result);
        goesOn = heard(result) && goesOn;
      });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return results.sort((one, other) => one.seed - other.seed);
}
