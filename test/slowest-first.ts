import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("../", import.meta.url));
export const DURATIONS_FILE = fileURLToPath(new URL("durations.json", import.meta.url));

/** Seconds a file is taken to need that is new here. */
const UNKNOWN_S = 5;

export function durations(): Readonly<Record<string, number>> {
  return existsSync(DURATIONS_FILE) ? JSON.parse(readFileSync(DURATIONS_FILE, "utf8")) : {};
}

/**
 * Starts the slowest files first, so that none of them is left over when all others are done. What
 * vitest itself knows of durations is in a cache that a fresh clone does not have.
 */
export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const known = durations();
    const secondsOf = ({ moduleId }: TestSpecification) =>
      known[relative(root, moduleId)] ?? UNKNOWN_S;
    return [...files].sort((a, b) => secondsOf(b) - secondsOf(a));
  }
}
