import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { RunResult } from "../../simulation/run.ts";

interface Kept {
  /** Of the program that ran them: another one has to run them again. */
  readonly program: string;
  readonly hours: number;
  readonly seeds: number[];
}

/** The seeds that passed, in a file, so that a long run goes on where it ended. */
export class SeedsDone {
  private readonly path: string | undefined;
  private readonly kept: Kept;

  /** Without a path nothing is kept. */
  constructor(program: string, hours: number, path: string | undefined) {
    this.path = path;
    const digest = createHash("sha256").update(readFileSync(program)).digest("hex");
    const fresh = { program: digest, hours, seeds: [] };
    const isThere = path !== undefined && existsSync(path);
    const found: Kept = isThere ? JSON.parse(readFileSync(path, "utf8")) : fresh;
    this.kept = found.program === digest && found.hours === hours ? found : fresh;
  }

  missing(seeds: readonly number[]): readonly number[] {
    const done = new Set(this.kept.seeds);
    return seeds.filter((seed) => !done.has(seed));
  }

  add({ seed, failure }: RunResult): void {
    if (this.path === undefined || failure !== undefined || this.kept.seeds.includes(seed)) return;
    this.kept.seeds.push(seed);
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, JSON.stringify(this.kept));
  }
}
