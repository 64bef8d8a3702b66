import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openPostgres } from "../../packages/server/src/infra/db/postgres.ts";
import { systemIds } from "../../packages/server/src/infra/ids.ts";
import { createLog } from "../../packages/server/src/infra/log/log.ts";
import {
  cleanUp,
  freshEnvironment,
  freshPostgres,
  temporaryFolder,
} from "../../packages/server/test/harness.ts";
import { root } from "../source.ts";

const DRILL_MS_MAX = 300_000;

interface Drilled {
  readonly status: number;
  readonly out: string;
  /** What is left where it worked. */
  readonly left: readonly string[];
}

/** Settings of somebody's installation, in the folder the drill is started in: of a database nobody answers for. */
const THEIRS = "GATEHOUSE_DATABASE_URL=postgres://127.0.0.1:1/theirs\n";

interface How {
  /** Ends it with SIGTERM once it has printed this. */
  readonly endAt?: string;
}

async function drill(words: readonly string[], { endAt }: How = {}): Promise<Drilled> {
  const [folder, cwd] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(cwd, "gatehouse.env"), THEIRS, { mode: 0o600 });
  const env = { PATH: process.env.PATH, TMPDIR: folder };
  const script = join(root, "scripts/operator-drill.mjs");
  const child = spawn(process.execPath, [script, ...words], { cwd, env });
  let out = "";
  const hear = (text: string) => {
    out += text;
    if (endAt !== undefined && out.includes(endAt)) child.kill("SIGTERM");
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  const [status] = (await once(child, "close")) as [number];
  expect(readdirSync(cwd)).toEqual(["gatehouse.env"]);
  expect(readFileSync(join(cwd, "gatehouse.env"), "utf8")).toBe(THEIRS);
  return { status, out, left: readdirSync(folder) };
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
  /audit\/3 begins with the last checkpoint of shop\.example\.com\/audit\/1.*records \d+ to \d+ are lost: when shop\.example\.com\/audit\/3 began/,
];

function expectWhole({ status, out, left }: Drilled): void {
  expect([status, out]).toEqual([0, expect.stringContaining("Everything worked")]);
  const lines = out.split("\n").filter((line) => /^ ?\d+\. +\d+\.\d s {2}/.test(line));
  expect(lines.length).toBe(STEPS.length);
  for (const [i, step] of STEPS.entries()) expect(lines[i]).toMatch(step);
  expect(left).toEqual([]);
}

beforeAll(() => cleanUp);

test(
  "the drill on SQLite migrates an installation of the first release, uses, loses and restores it, and verifies its log",
  { timeout: DRILL_MS_MAX },
  // Settings in the folder it is started in are not read: see THEIRS.
  async () => expectWhole(await drill([])),
);

test("the drill stopped by a signal stops its service, and leaves nothing behind", async () => {
  const { status, out, left } = await drill([], { endAt: " 2. " });
  expect([status, left]).toEqual([143, []]);
  expect(out).toMatch(/The drill was ended; nothing of it is left\.\n$/);
});

/** The same steps again take half a minute: `npm run test:long` asks for them. */
test.skipIf(process.env.DRILL_POSTGRES === undefined)(
  "the drill works on PostgreSQL in the same way",
  { timeout: DRILL_MS_MAX },
  async () => {
    const words = ["--database", await freshPostgres(), "--restore-into", await freshPostgres()];
    expectWhole(await drill(words));
  },
);

async function strangersPostgres(): Promise<string> {
  const url = await freshPostgres();
  const db = await openPostgres(url, { ids: systemIds, log: createLog("silent") });
  await db.run("CREATE TABLE their_customers (id INTEGER)");
  await db.close();
  return url;
}

test("the drill ends with an error and changes nothing if a database is not empty", async () => {
  const { GATEHOUSE_DATABASE_URL: used = "" } = await freshEnvironment("postgres");
  for (const occupied of [used, await strangersPostgres()]) {
    const words = ["--database", await freshPostgres(), "--restore-into", occupied];
    const { status, out, left } = await drill(words);
    expect([status, left]).toEqual([1, []]);
    expect(out).toMatch(/is not empty \(it has \w+\): name an empty database/);
    expect(out).not.toMatch(/ 1\. /);
  }
});
