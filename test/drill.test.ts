import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import {
  cleanUp,
  freshEnvironment,
  freshPostgres,
  temporaryFolder,
} from "../packages/server/test/harness.ts";
import { root } from "./source.ts";

const DRILL_MS_MAX = 300_000;

interface Drilled {
  readonly status: number;
  readonly out: string;
  /** What is left where it worked. */
  readonly left: readonly string[];
}

function drill(...args: string[]): Promise<Drilled> {
  const folder = temporaryFolder();
  const env = { PATH: process.env.PATH, TMPDIR: folder };
  const words = [join(root, "scripts/operator-drill.mjs"), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: root, env }, (error, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code);
      resolve({ status, out: stdout + stderr, left: readdirSync(folder) });
    });
  });
}

const STEPS = [
  /made an installation of the first release: schema 1/,
  /started this version on it: schema \d\d/,
  /took shop\.example\.com on/,
  /sent 5 visits, mandates approved, rejected and escalated, and an order$/,
  /Wrote \d+ rows/,
  /rotated both keys/,
  /by the new keys$/,
  /took the whole log away, proved it with every decision made again/,
  /Restored \d+ rows/,
  /started it at the address of the old one/,
  /rotated again/,
  /sent 5 visits/,
  /audit\/3 begins with the last checkpoint of shop\.example\.com\/audit\/1.*names \d+ records, and \d+ are given$/,
];

function expectWhole({ status, out, left }: Drilled): void {
  expect([status, out]).toEqual([0, expect.stringContaining("Everything answered as it should")]);
  const lines = out.split("\n").filter((line) => /^ ?\d+\. +\d+\.\d s {2}/.test(line));
  expect(lines.length).toBe(STEPS.length);
  for (const [i, step] of STEPS.entries()) expect(lines[i]).toMatch(step);
  expect(left).toEqual([]);
}

beforeAll(() => cleanUp);

test(
  "an SQLite of the first release is brought up to date, used, lost, restored, and its log proven",
  { timeout: DRILL_MS_MAX },
  async () => expectWhole(await drill()),
);

/** The same steps again take half a minute: `npm run test:long` asks for them. */
test.skipIf(process.env.DRILL_POSTGRES === undefined)(
  "the same on PostgreSQL",
  { timeout: DRILL_MS_MAX },
  async () => {
    const words = ["--database", await freshPostgres(), "--restore-into", await freshPostgres()];
    expectWhole(await drill(...words));
  },
);

test("where a database is in use already the drill ends with an error, and touches nothing", async () => {
  const { GATEHOUSE_DATABASE_URL: used = "" } = await freshEnvironment("postgres");
  const words = ["--database", await freshPostgres(), "--restore-into", used];
  const { status, out, left } = await drill(...words);
  expect([status, left]).toEqual([1, []]);
  expect(out).toMatch(/holds an installation already: name an empty database/);
  expect(out).not.toMatch(/ 1\. /);
});
