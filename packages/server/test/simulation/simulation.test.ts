import { rmSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { bundleSimulation } from "../../../../scripts/bundle-simulation.mjs";
import { failureText } from "../../simulation/failure-text.ts";
import type { RunResult } from "../../simulation/run.ts";
import { CHECKOUT_POINT, PURCHASE_POINTS } from "../../src/infra/crash-points.ts";
import { runSeeds, WORKERS } from "./running.ts";
import { SeedsDone } from "./seeds-done.ts";

/** A sample in `npm test`; `npm run test:long` asks for the full count, of days. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 30);
const HOURS = Number(process.env.SIMULATION_HOURS ?? 1);
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);
/** A long run ends here, and goes on where it ended when it is started again. */
const MINUTES_MAX = Number(process.env.SIMULATION_MINUTES ?? 110);

/** Seeds that reach every seam together. */
const COVERING_SEEDS = 30;

describe("simulated purchases", () => {
  let program: string;
  let done: SeedsDone;
  let results: readonly RunResult[];
  beforeAll(async () => {
    program = await bundleSimulation();
    const seeds = Array.from({ length: SEEDS }, (_, n) => FIRST_SEED + n);
    done = new SeedsDone(program, HOURS, process.env.SIMULATION_DONE);
    const until = performance.now() + MINUTES_MAX * 60_000;
    const missing = done.missing(seeds);
    // The first one runs again, in another process.
    const [again = FIRST_SEED] = missing;
    results = await runSeeds(program, [...missing, again], {
      hours: HOURS,
      batch: HOURS > 1 ? 5 : Math.ceil((SEEDS + 1) / WORKERS),
      heard: (result) => {
        done.add(result);
        return performance.now() < until;
      },
    });
    return () => rmSync(program);
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
    if (results.length < COVERING_SEEDS) return;
    const seams = new Set(results.flatMap(({ crashes }) => Object.keys(crashes)));
    const wanted = [
      ...[...PURCHASE_POINTS, CHECKOUT_POINT],
      ...[
        "db.begin",
        "db.commit",
        "db.committed",
        "provider.openPage",
        "provider.voidAuthorization",
      ],
    ];
    expect(wanted.filter((seam) => !seams.has(seam))).toEqual([]);
    const ends = new Set(results.flatMap((one) => Object.keys(one.ends)));
    expect([...ends].sort()).toEqual(
      expect.arrayContaining(["authorized", "declined", "released"]),
    );
  });
});
