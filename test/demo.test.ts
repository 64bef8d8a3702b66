import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./source.ts";

test("the demo walks to its end, twice in a row, and leaves nothing behind", () => {
  const tree = () =>
    spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" }).stdout;
  const before = tree();
  for (let i = 0; i < 2; i++) {
    const demo = spawnSync(process.execPath, [join(root, "scripts/demo.mjs"), "--once"], {
      cwd: root,
      encoding: "utf8",
    });
    expect([demo.status, demo.stdout]).toEqual([0, expect.stringContaining("Everything answered")]);
  }
  expect(tree()).toBe(before);
});
