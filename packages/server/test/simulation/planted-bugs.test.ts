import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bundleSimulation } from "../../../../scripts/bundle-simulation.mjs";
import { PLANTED_BUGS } from "./planted-bugs.ts";
import { runSeeds } from "./running.ts";

/** Seeds within which each must be found. */
const SEEDS_MAX = 100;

describe("the simulation finds a mistake in the service:", () => {
  test.each(PLANTED_BUGS)(
    "$name",
    async (bug) => {
      const program = await bundleSimulation(bug);
      const seeds = Array.from({ length: SEEDS_MAX }, (_, n) => n + 1);
      let found: string | undefined;
      await runSeeds(program, seeds, {
        hours: 1,
        batch: 4,
        heard: ({ failure }) => {
          found ??= failure?.invariant;
          return found === undefined;
        },
      });
      rmSync(program);
      expect([undefined, "the run itself"]).not.toContain(found);
    },
    600_000,
  );
});
