import { expect, test } from "vitest";
import { LongPolls } from "../../src/http/mandates/escalations.ts";

test("two requests of an address and a hundred of a site can wait at a time, and places are released", () => {
  const waiting = new LongPolls();
  const leave = waiting.enter("site", "a");
  expect(waiting.enter("site", "a")).toBeTypeOf("function");
  expect(waiting.enter("site", "a")).toBeUndefined();
  leave?.();
  expect(waiting.enter("site", "a")).toBeTypeOf("function");
  for (let n = 0; n < 98; n++) expect(waiting.enter("site", `b${n}`)).toBeTypeOf("function");
  expect(waiting.enter("site", "c")).toBeUndefined();
  expect(waiting.enter("other", "c")).toBeTypeOf("function");
});
