import { rmSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { bundleSimulation } from "../../../../scripts/bundle-simulation.mjs";
import { failureText } from "../../simulation/failure-text.ts";
import type { RunResult } from "../../simulation/run.ts";
import { CHECKOUT_POINT, PURCHASE_POINTS } from "../../src/infra/crash-points.ts";
import { runSeeds, WORKERS } from "./running.ts";
import { SeedsDone } from "./seeds-done.ts";

/** The full count, of days: `npm run test:long` asks for it. `npm test` takes a sample. */
const SEEDS = process.env.SIMULATION_SEEDS;
const HOURS = Number(process.env.SIMULATION_HOURS ?? 1);
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);
/** A long run ends here, and goes on where it ended when it is started again. */
const MINUTES_MAX = Number(process.env.SIMULATION_MINUTES ?? 110);

/** What the sample begins with: together they reach every seam twice. */
const COVERING = [1, 3, 7, 12, 25, 30, 57, 60];
/** As the service changes they may not any more: then others follow, so many at a time, and no more. */
const FOLLOWING = 10;
const SAMPLED_MAX = 60;
/** So many seeds of a longer run reach every seam. */
const COVERING_SEEDS = 30;

const SEAMS: readonly string[] = [
  ...PURCHASE_POINTS,
  CHECKOUT_POINT,
  "db.begin",
  "db.commit",
  "db.committed",
  "provider.openPage",
  "provider.voidAuthorization",
];

function unreached(results: readonly RunResult[]): readonly string[] {
  const seams = new Set(results.flatMap(({ crashes }) => Object.keys(crashes)));
  return SEAMS.filter((seam) => !seams.has(seam));
}

async function runSample(program: string): Promise<readonly RunResult[]> {
  // The first one runs again, in another process.
  const [first = FIRST_SEED] = COVERING;
  const options = { hours: HOURS, batch: Math.ceil((COVERING.length + 1) / WORKERS) };
  let results = await runSeeds(program, [...COVERING, first], options);
  for (let next = Math.max(...COVERING) + 1; unreached(results).length > 0; next += FOLLOWING) {
    if (results.length >= SAMPLED_MAX) break;
    const others = Array.from({ length: FOLLOWING }, (_, n) => next + n);
    results = [...results, ...(await runSeeds(program, others, options))];
  }
  return results;
}

async function runLong(program: string, count: number): Promise<readonly RunResult[]> {
  const seeds = Array.from({ length: count }, (_, n) => FIRST_SEED + n);
  const done = new SeedsDone(program, HOURS, process.env.SIMULATION_DONE);
  const until = performance.now() + MINUTES_MAX * 60_000;
  const missing = done.missing(seeds);
  // The first one runs again, in another process.
  const [again = FIRST_SEED] = missing;
  return await runSeeds(program, [...missing, again], {
    hours: HOURS,
    batch: HOURS > 1 ? 5 : Math.ceil((count + 1) / WORKERS),
    heard: (result) => {
      done.add(result);
      return performance.now() < until;
    },
  });
}

describe("simulated purchases", () => {
  let results: readonly RunResult[];
  beforeAll(async () => {
    const program = await bundleSimulation();
    try {
      results = await (SEEDS === undefined ? runSample(program) : runLong(program, Number(SEEDS)));
    } finally {
      rmSync(program);
    }
  }, 7_200_000);

  test("hold every invariant after every step, whatever fails and whenever", () => {
    const failed = results.filter(({ failure }) => failure !== undefined);
    expect(failed.map((one) => failureText(one, HOURS)).join("\n\n")).toBe("");
    expect(results.length).toBeGreaterThan(0);
  });

  test("happen the same way for the same seed", () => {
    const [first, again] = results;
    // A long run may end before the first seed is run again.
    if (first?.seed === again?.seed) expect(again).toEqual(first);
    else expect(HOURS).toBeGreaterThan(1);
  });

  test("end in orders, and with crashes at every point of a payment and at every seam", () => {
    expect(results.filter(({ orders }) => orders === 0)).toEqual([]);
    // The rest of a long run may be too short for that.
    if (SEEDS !== undefined && results.length < COVERING_SEEDS) return;
    expect(unreached(results)).toEqual([]);
    const ends = new Set(results.flatMap((one) => Object.keys(one.ends)));
    expect([...ends].sort()).toEqual(
      expect.arrayContaining(["authorized", "declined", "released"]),
    );
  });
});
