/** Other people's checks for merchants, run against a shop at its own domain, over TLS. */
import { beforeAll, describe, expect, test } from "vitest";
import { canBuy } from "../contract/buying.ts";
import { type CheckResult, runSpck, spckAbsent } from "./spck.ts";
import { DEVIATIONS, PASSED_MIN } from "./spck-deviations.ts";

const RUN_MS_MAX = 480_000;

const absent = spckAbsent();
if (absent !== undefined) console.warn(`skipped: ${absent}`);

describe.skipIf(!canBuy() || absent !== undefined)("spck", () => {
  let results: readonly CheckResult[];
  beforeAll(async () => {
    results = await runSpck();
  }, RUN_MS_MAX);

  const deviating = () => results.filter(({ status }) => status === "deviation");

  test("deviates in no check that the table does not explain", () => {
    const unexplained = deviating().filter(({ id }) => !(id in DEVIATIONS));
    expect(unexplained, JSON.stringify(unexplained, null, 2)).toEqual([]);
  });

  test("deviates in every check of the table, so that no row is out of date", () => {
    const ids = deviating().map(({ id }) => id);
    expect(Object.keys(DEVIATIONS).filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("passes as many checks as were recorded", ({ task }) => {
    const passed = results.filter(({ status, sound }) => status === "clean-pass" && sound);
    Object.assign(task.meta, { outside: passed.length });
    expect(passed.length).toBeGreaterThanOrEqual(PASSED_MIN);
  });

  test("runs every check to its end", () => {
    expect(results.filter(({ status }) => status.startsWith("error"))).toEqual([]);
  });
});
