import { expect, test } from "vitest";
import { DELIVER_EVERY_MS } from "../../src/actions/notifications/deliver-messages.ts";
import { nextTryAt } from "../../src/domain/outbox/retry-schedule.ts";
import { JOB_TICK_MS } from "../../src/infra/jobs/jobs.ts";

const HOUR_MS = 3_600_000;
const NEARLY_ONE = 65_535 / 65_536;

/** When a message is tried that nobody takes, counted from its first try. */
function triesAt(chance: number): number[] {
  const tries = [0];
  for (;;) {
    const message = { attempts: tries.length, since: 0 };
    const next = nextTryAt(message, tries.at(-1) as number, chance);
    if (next === undefined) return tries;
    tries.push(next);
  }
}

test("the first retry is within a minute, and the last after one day and within three", () => {
  const runs = DELIVER_EVERY_MS + JOB_TICK_MS;
  for (const chance of [0, 0.5, NEARLY_ONE]) {
    const tries = triesAt(chance);
    expect((tries[1] as number) + runs).toBeLessThanOrEqual(60_000);
    expect(tries.at(-1)).toBeGreaterThanOrEqual(24 * HOUR_MS);
    expect(tries.at(-1)).toBeLessThanOrEqual(72 * HOUR_MS);
    expect(tries.length).toBeGreaterThanOrEqual(6);
  }
});

test("each wait is longer than the one before, up to an hour, and varies randomly", () => {
  const waits = (chance: number) => {
    const tries = triesAt(chance);
    return tries.slice(1).map((at, i) => at - (tries[i] as number));
  };
  const plain = waits(0);
  const longest = Math.max(...plain);
  for (const [i, wait] of plain.slice(1).entries()) {
    expect(wait === longest || wait >= 2 * (plain[i] as number)).toBe(true);
  }
  expect(Math.max(...waits(NEARLY_ONE))).toBeLessThanOrEqual(HOUR_MS);
  expect(waits(0.5).every((wait, i) => wait > (plain[i] as number))).toBe(true);
});

test("delivery is given up by time only, however many attempts there were", () => {
  const often = { attempts: 500, since: 0 };
  expect(nextTryAt(often, HOUR_MS, 0)).toBe(HOUR_MS + 40 * 60_000);
  expect(nextTryAt(often, 60 * HOUR_MS, 0)).toBe(undefined);
});
