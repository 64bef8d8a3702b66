import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ManualClock } from "../../packages/server/src/infra/clock.ts";
import { NOON } from "../../packages/server/test/harness.ts";
import { openWorld } from "../../packages/server/test/ucp/buying.ts";
import { Recorder } from "./recorder.ts";
import { playScenario } from "./scenario.ts";

const RECORDED = new URL("recorded.txt", import.meta.url);
const SEPARATOR = "\n\n----\n\n";
/** Fewer would leave a part of the interface unwatched. */
const EXCHANGES_MIN = 300;

test("the service answers every recorded exchange with the same bytes", {
  timeout: 60_000,
}, async () => {
  const clock = new ManualClock(NOON);
  const world = await openWorld("sqlite", clock);
  await world.server.context.jobs.stop();
  const recorder = new Recorder(world.server.url);
  try {
    await recorder.watch(() => playScenario(world, clock));
  } finally {
    await world.close();
  }
  const texts = recorder.exchanges.map(({ text }) => text);
  expect(texts.length).toBeGreaterThanOrEqual(EXCHANGES_MIN);
  if (process.env.WRITE_WIRE === "1" || !existsSync(RECORDED)) {
    writeFileSync(RECORDED, texts.join(SEPARATOR));
  }
  const recorded = readFileSync(RECORDED, "utf8").split(SEPARATOR);
  for (const [i, text] of texts.entries()) expect(text).toBe(recorded[i]);
  expect(texts).toHaveLength(recorded.length);
});
