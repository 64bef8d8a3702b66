import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { proofOf } from "../test/proof.ts";
import { CITATIONS_MAX, citedIds } from "./citations.ts";
import { requirements } from "./requirements.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".test.ts") && name !== "coverage.test.ts",
);
const names = files.flatMap((file) =>
  [...readFileSync(folder + file, "utf8").matchAll(/"(\[[^\]"]+\] [^"]+)"/g)].map(
    ([, name]) => name as string,
  ),
);
const cited = new Set(names.flatMap(citedIds));

test("requirement ids are unique and start with their clause", () => {
  const ids = requirements.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^\d(\.\d+){0,2}-[a-z]{1,2}$/);
});

test("every promise is cited by a test", () => {
  const uncited = requirements.filter(({ id }) => !cited.has(id));
  expect(uncited).toEqual([]);
});

test("tests cite only promises that exist, and at most three each", () => {
  const known = new Set(requirements.map(({ id }) => id));
  expect([...cited].filter((id) => !known.has(id))).toEqual([]);
  expect(names.filter((name) => citedIds(name).length > CITATIONS_MAX)).toEqual([]);
  expect(names.length).toBeGreaterThan(0);
});

test("a run that proves all promises has none due, and one that lost a test names its promise", () => {
  const [first, second, third] = requirements.slice(0, 3).map(({ id }) => id);
  const promises = requirements.slice(0, 3);
  const tests = [
    { name: `[${first}] holds`, state: "passed" },
    { name: `[${second}] needs a browser`, state: "skipped" },
    { name: `[${third}] holds`, state: "failed" },
  ] as const;
  expect(proofOf(promises, tests)).toMatchObject({ proven: 1, due: [third] });
  const whole = promises.map(({ id }) => ({ name: `[${id}] holds`, state: "passed" as const }));
  expect(proofOf(promises, whole)).toEqual({ proven: 3, missing: [], due: [] });
});
