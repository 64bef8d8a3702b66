import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import * as protocol from "../../src/index.ts";

const source = fileURLToPath(new URL("../../src/", import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith("index.ts"),
);

interface Documented {
  readonly name: string;
  readonly example: string | undefined;
}

/** Every exported function with the example of the comment above it. */
function documentedFunctions(text: string): Documented[] {
  const pattern =
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export (?:async )?(?:function|const) (\w+)/g;
  return [...text.matchAll(pattern)].map(([, comment = "", name = ""]) => ({
    name,
    example: comment
      .split("@example")[1]
      ?.split("\n")
      .map((line) => line.replace(/^\s*\* ?/, ""))
      .join("\n"),
  }));
}

/** `expression; //=> value` becomes a comparison; everything else runs as written. */
function program(example: string): string {
  return example.replace(
    /^(.+?);? \/\/=> (.+)$/gm,
    (_line, expression, value) => `compare(await (${expression}), ${value});`,
  );
}

async function run(example: string): Promise<number> {
  let comparisons = 0;
  const compare = (actual: unknown, expected: unknown) => {
    comparisons++;
    expect(actual).toEqual(expected);
  };
  const { code } = await transform(`(async () => {${program(example)}\n})()`, { loader: "ts" });
  const scope = { ...protocol, compare, crypto };
  await new Function(...Object.keys(scope), `return ${code}`)(...Object.values(scope));
  return comparisons;
}

const exported = files.flatMap((file) => documentedFunctions(readFileSync(source + file, "utf8")));
const values = new Map<string, unknown>(Object.entries(protocol));
const functions = exported.filter(({ name }) => typeof values.get(name) === "function");

test.each(functions)("the example of $name runs and shows a result", async ({ example }) => {
  expect(example).toBeDefined();
  expect(await run(example ?? "")).toBeGreaterThan(0);
});

test("the scan finds every export", () => {
  const found = new Set(exported.map(({ name }) => name));
  expect([...values.keys()].filter((name) => !found.has(name))).toEqual([]);
});
