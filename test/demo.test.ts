import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cleanUp, temporaryFolder } from "../packages/server/test/harness.ts";
import { root } from "./source.ts";

const bin = join(root, "packages/cli/bin/gatehouse.js");
afterAll(cleanUp);

/** A folder with settings of an installation that is meant, and one for what is thrown away. */
function places() {
  const cwd = temporaryFolder();
  const real = join(cwd, "real");
  const settings = [`GATEHOUSE_DATA_DIR=${real}`, "GATEHOUSE_BASE_URL=http://127.0.0.1:9"];
  writeFileSync(join(cwd, "gatehouse.env"), `${settings.join("\n")}\n`, { mode: 0o600 });
  mkdirSync(real);
  const temporary = join(cwd, "temporary");
  mkdirSync(temporary);
  const env = { PATH: process.env.PATH, TMPDIR: temporary };
  return { cwd, real, temporary, env };
}

/** One walk of the demo, in a process of its own. */
function walk(options: { cwd: string; env: NodeJS.ProcessEnv }) {
  return new Promise<{ status: number; out: string }>((resolve) => {
    execFile(process.execPath, [bin, "demo", "--once"], options, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), out: stdout + stderr });
    });
  });
}

test("the demo walks to its end, touches no installation that is there, and leaves nothing behind", {
  timeout: 120_000,
}, async () => {
  const tree = () =>
    spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" }).stdout;
  const before = tree();
  const { cwd, env, real, temporary } = places();
  const { status, out } = await walk({ cwd, env });
  expect([status, out]).toEqual([0, expect.stringContaining("Everything answered")]);
  expect([readdirSync(real), readdirSync(temporary)]).toEqual([[], []]);
  expect(tree()).toBe(before);
});

test("the demo that is stopped before its first step ends at once, and leaves nothing behind", async () => {
  const { cwd, env, temporary } = places();
  const child = spawn(process.execPath, [bin, "demo"], { cwd, env });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  // Its folder is made first, before anything is started.
  while (readdirSync(temporary).length === 0) await new Promise((next) => setImmediate(next));
  child.kill("SIGINT");
  expect([await once(child, "exit"), said]).toEqual([[0, null], ""]);
  expect(readdirSync(temporary)).toEqual([]);
});
