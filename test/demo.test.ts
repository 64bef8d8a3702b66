import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cleanUp, temporaryFolder } from "../packages/server/test/harness.ts";
import { root } from "./source.ts";

afterAll(cleanUp);

// That it walks to its end is seen in release/packages.test.ts, as people get it.
test("the demo ends at once and leaves nothing behind if it is stopped before its first step", async () => {
  const temporary = temporaryFolder();
  const bin = join(root, "packages/cli/bin/gatehouse.js");
  const env = { PATH: process.env.PATH, TMPDIR: temporary };
  const child = spawn(process.execPath, [bin, "demo"], { cwd: temporaryFolder(), env });
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
