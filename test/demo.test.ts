import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./source.ts";

/** One walk of the demo, in a process of its own. */
function walk(): Promise<{ status: number; out: string }> {
  return new Promise((resolve) => {
    const args = [join(root, "packages/cli/bin/gatehouse.js"), "demo", "--once"];
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), out: stdout + stderr });
    });
  });
}

test("the demo walks to its end, and leaves nothing behind", {
  timeout: 120_000,
}, async () => {
  const tree = () =>
    spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" }).stdout;
  const before = tree();
  const { status, out } = await walk();
  expect([status, out]).toEqual([0, expect.stringContaining("Everything answered")]);
  expect(tree()).toBe(before);
});
