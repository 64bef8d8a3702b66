import { createHash } from "node:crypto";
import { isoTime } from "../src/infra/clock.ts";

/** The last steps that a failure shows. */
const SHOWN_STEPS = 25;

/** Everything that happened in a run, in order. Two runs of a seed must be the same to the letter. */
export class Trace {
  private readonly hash = createHash("sha256");
  private readonly last: string[] = [];
  private readonly print: ((line: string) => void) | undefined;
  steps = 0;

  constructor(print?: (line: string) => void) {
    this.print = print;
  }

  note(now: number, text: string): void {
    const line = `${this.steps} ${isoTime(now)} ${text}`;
    this.hash.update(`${line}\n`);
    this.last.push(line);
    if (this.last.length > SHOWN_STEPS) this.last.shift();
    this.print?.(line);
  }

  get lastSteps(): readonly string[] {
    return this.last;
  }

  digest(): string {
    return this.hash.copy().digest("hex").slice(0, 16);
  }
}

/** An invariant does not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}
