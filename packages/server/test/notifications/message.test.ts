import { expect, test } from "vitest";
import { DELIVER_EVERY_MS } from "../../src/actions/deliver-messages.ts";
import { RETRIES_MAX, retryDelayMs } from "../../src/owners/outbox/message.ts";
import { JOB_TICK_MS } from "../../src/platform/jobs/jobs.ts";

const HOUR_MS = 3_600_000;
const NEARLY_ONE = 65_535 / 65_536;
const delays = (chance: number) =>
  Array.from({ length: RETRIES_MAX }, (_, i) => retryDelayMs(i + 1, chance) as number);
const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);

test("the first retry comes within a minute, the last after a day and within three", () => {
  const runs = DELIVER_EVERY_MS + JOB_TICK_MS;
  expect((delays(NEARLY_ONE)[0] as number) + runs).toBeLessThanOrEqual(60_000);
  expect(sum(delays(0))).toBeGreaterThanOrEqual(24 * HOUR_MS);
  expect(sum(delays(NEARLY_ONE))).toBeLessThanOrEqual(72 * HOUR_MS);
});

test("each wait is longer than the one before or the longest, and differs by chance", () => {
  const plain = delays(0);
  const longest = plain.at(-1) as number;
  for (const [i, delay] of plain.slice(1).entries()) {
    expect(delay === longest || delay >= 2 * (plain[i] as number)).toBe(true);
  }
  expect(delays(0.5).every((delay, i) => delay > (plain[i] as number))).toBe(true);
  expect(retryDelayMs(RETRIES_MAX + 1, 0)).toBe(undefined);
});
