import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshEnvironment, startServer, temporaryFolder } from "../../server/test/harness.ts";
import { progressLine, type Step, withProgress } from "../src/progress.ts";
import { command } from "./command.ts";

/** A terminal that a person watches, or none does; and a clock that goes as told. */
function stage(watched: boolean) {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const terminal = {
    env: {},
    out() {},
    err: (text: string) => lines.push(text),
    ...(watched ? { redraw: (line: string) => lines.push(`\r${line}`) } : {}),
  };
  const run = (progress: boolean, steps: readonly (Step & { ms: number })[]) => {
    clock.ms = 0;
    return withProgress(
      terminal,
      { progress },
      async (show) => {
        for (const { ms, ...step } of steps) {
          clock.ms = ms;
          show(step);
        }
      },
      () => clock.ms,
    );
  };
  return { lines, run };
}

const ROWS = [
  { ms: 50, unit: "rows", done: 10 },
  { ms: 120, unit: "rows", done: 20 },
  { ms: 1200, unit: "rows", done: 3000 },
  { ms: 1500, unit: "rows", done: 3300 },
];

test.each([
  [{ unit: "rows", done: 12_000, total: 30_000 }, "12,000 of 30,000 rows (40 %), 4,000/s, 0:03"],
  [{ unit: "rows", done: 12_000 }, "12,000 rows, 4,000/s, 0:03"],
  [{ unit: "bytes", done: 0, total: 0 }, "0.0 of 0.0 kB, 0.0 kB/s, 0:03"],
  [
    { unit: "bytes", done: 3_000_000, total: 12_500_000, part: "file 1 of 4" },
    "file 1 of 4: 3.0 of 12.5 MB (24 %), 1.0 MB/s, 0:03",
  ],
])("a progress line has counts, a rate and a time for %j", (step, line) => {
  expect(progressLine(step, 3000)).toBe(line);
  expect(progressLine(step, 3_723_000)).toMatch(/, 1:02:03$/);
});

test("on a terminal, progress is one line that changes and ends with a line break", async () => {
  const { lines, run } = stage(true);
  await run(false, ROWS);
  expect(lines).toEqual([
    "\r20 rows, 166/s, 0:00",
    "\r3,000 rows, 2,500/s, 0:01",
    "\r3,300 rows, 2,200/s, 0:01",
    "",
  ]);
});

test("in a log, progress is one line a second and a last one if it was requested, and otherwise none", async () => {
  const { lines, run } = stage(false);
  await run(false, ROWS);
  expect(lines).toEqual([]);
  await run(true, [...ROWS, { ms: 4000, unit: "rows checked", done: 8 }]);
  expect(lines.map((line) => line.replace(/, .*/, ""))).toEqual([
    "3,000 rows",
    "3,300 rows",
    "8 rows checked",
  ]);
});

test("commands that take long show progress with --progress, and nothing without it", async () => {
  const env = await freshEnvironment("sqlite");
  const { url } = await startServer(env);
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const folder = temporaryFolder();
  const site = "shop.example.com";
  await command(["site", "create", site, "--name", "Shop"], here);
  const products = join(folder, "products.csv");
  writeFileSync(products, "id,title,price,currency\nrose,A rose,10.00,EUR\n");
  const quiet = async (args: readonly string[], at = here) => {
    const { code, out, err } = await command(args, at);
    // Advice about what to do next is not progress.
    const progress = err.split("\n").filter((line) => /\d+:\d\d$/.test(line));
    expect([code, progress]).toEqual([0, []]);
    return out.trim();
  };
  const watched = async (args: readonly string[], at = here) =>
    (await command([...args, "--progress", "--json"], at)).err;

  const bytes = String.raw`\d+\.\d of \d+\.\d kB \(100 %\), \d+\.\d [kM]B/s, 0:\d\d\n`;
  const importing = ["product", "import", site, products];
  await quiet(importing);
  expect(await watched(importing)).toMatch(new RegExp(`^${bytes}$`));
  const exporting = (out: string) => ["audit", "export", site, "--out", join(folder, out)];
  const file = await quiet(exporting("quiet"));
  expect(await watched(exporting("watched"))).toMatch(/^\d+\.\d kB, \d+\.\d [kM]B\/s, 0:\d\d\n$/);
  const verifying = ["audit", "verify", file, "--key", url];
  await quiet(verifying);
  expect(await watched(verifying)).toMatch(new RegExp(`^file 1 of 1: ${bytes}$`));
  const backup = (out: string) => ["backup", "--out", join(folder, out)];
  await quiet(backup("quiet.gz"));
  expect(await watched(backup("watched.gz"))).toMatch(/^\d+ rows, [\d,]+\/s, 0:\d\d\n$/);
  const key = join(env.GATEHOUSE_DATA_DIR as string, "secrets.key");
  const restoring = ["restore", join(folder, "quiet.gz"), "--secrets-key-file", key];
  await quiet(restoring, { ...(await freshEnvironment("sqlite")), GATEHOUSE_BASE_URL: url });
  const elsewhere = { ...(await freshEnvironment("sqlite")), GATEHOUSE_BASE_URL: url };
  expect(await watched(restoring, elsewhere)).toMatch(
    /^(\d+) rows checked, .*\n\1 of \1 rows written \(100 %\), [\d,]+\/s, 0:\d\d\n$/,
  );
});
