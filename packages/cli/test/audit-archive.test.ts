import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../server/src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  temporaryFolder,
} from "../../server/test/harness.ts";
import { command } from "./command.ts";

const DAY_MS = 86_400_000;
const DAYS = ["2030-05-17", "2030-05-18", "2030-05-19"];

let env: Record<string, string>;
let server: TestServer;
/** A checkpoint from before anything was archived, and the keys, in files. */
let checkpoint: string;
let keys: string;

const run = (...args: string[]) => command(args, env);

beforeAll(async () => {
  const clock = new ManualClock(NOON);
  const base = await freshEnvironment("sqlite");
  server = await startServer(base, { clock });
  env = { ...base, GATEHOUSE_BASE_URL: server.url };
  await run("site", "create", "shop.example.com", "--name", "Fern & Petal");
  for (const day of DAYS) {
    await run("site", "change", "shop.example.com", "--name", `Open on ${day}`);
    await run("site", "change", "shop.example.com", "--name", `Closed on ${day}`);
    clock.advance(DAY_MS);
  }
  const folder = temporaryFolder();
  checkpoint = join(folder, "checkpoint.txt");
  writeFileSync(checkpoint, (await run("audit", "checkpoint", "shop.example.com")).out);
  keys = join(folder, "keys.json");
  writeFileSync(keys, await (await fetch(`${server.url}/.well-known/audit-jwks.json`)).text());
  return cleanUp;
});

describe("gatehouse audit archive", () => {
  test("needs either --before or --keep-days, and never archives yesterday", async () => {
    for (const flags of [
      [],
      ["--before", "2030-05-19", "--keep-days", "1"],
      ["--keep-days", "0"],
    ]) {
      const { code, err } = await run("audit", "archive", ...flags);
      expect([code, err]).toEqual([2, expect.stringContaining("keep-days")]);
    }
    const { code, err } = await run("audit", "archive", "--before", "2030-05-20");
    expect([code, err]).toEqual([1, expect.stringContaining("up to 2030-05-19")]);
  });

  test("lists the days in a dry run, archives them, and then finds nothing more to do", async () => {
    const before = ["audit", "archive", "--before", "2030-05-19"];
    const dry = await run(...before, "--dry-run");
    expect(dry.out).toMatch(/2030-05-17.*2030-05-18/s);
    expect(dry.err).toContain("To archive: 2 days");
    const done = await run(...before, "--site", "shop.example.com", "--progress");
    expect([done.code, done.out]).toEqual([0, dry.out]);
    expect(done.err).toMatch(/records \(100 %\).*Archived: 2 days/s);
    const again = await run(...before, "--json");
    expect(JSON.parse(again.out)).toEqual({ before: "2030-05-19", dry_run: false, days: [] });
  });

  test("leaves files that `audit verify` verifies offline, up to an earlier checkpoint", async () => {
    const folder = join(server.context.config.archiveDir, "shop.example.com_audit_1");
    const files = readdirSync(folder).map((name) => join(folder, name));
    const rest = temporaryFolder();
    for (const day of ["2030-05-19", "2030-05-20"]) {
      await run("audit", "export", "shop.example.com", "--day", day, "--out", rest);
    }
    const later = readdirSync(rest).map((name) => join(rest, name));
    const verify = ["--key", keys, "--checkpoint", checkpoint, "--replay"];
    const whole = await run("audit", "verify", ...files, ...later, ...verify);
    expect([whole.code, whole.out]).toEqual([0, expect.stringContaining("✓ anchoring")]);
    const changed = join(temporaryFolder(), "changed.json");
    writeFileSync(
      changed,
      readFileSync(files[0] as string, "utf8").replace('"site.changed"', '"audit.read"'),
    );
    const tampered = await run("audit", "verify", changed, ...files.slice(1), "--key", keys);
    expect(tampered.code).toBe(1);
  });

  test("leaves records that `audit show` and `audit tail` still show", async () => {
    const tail = await run(
      "audit",
      "tail",
      "shop.example.com",
      "--type",
      "chain.genesis",
      "--json",
    );
    const { record } = JSON.parse(tail.out);
    expect(record.seq).toBe(0);
    const shown = await run("audit", "show", "shop.example.com", record.record_id);
    expect([shown.code, shown.out.match(/✗/)]).toEqual([0, null]);
  });
});
