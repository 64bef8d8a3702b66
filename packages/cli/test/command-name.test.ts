import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { temporaryFolder } from "../../server/test/harness.ts";
import { commandName, runnable } from "../src/command-name.ts";

describe("the command in printed advice", () => {
  test.each([
    ["/shop/node_modules/.bin/gatehouse", {}, "npx gatehouse"],
    ["/shop/node_modules/gatehouse/bin/gatehouse.js", { npm_command: "exec" }, "npx gatehouse"],
    ["C:\\shop\\node_modules\\.bin\\gatehouse", {}, "npx gatehouse"],
    ["/usr/local/bin/gatehouse", {}, "gatehouse"],
    ["/opt/gatehouse/current/bin/gatehouse.js", {}, "gatehouse"],
    ["/shop/node_modules/vitest/worker.js", { npm_command: "exec" }, "gatehouse"],
  ])("of %s with %j is `%s`", (script, env, name) => {
    expect(commandName(script, env)).toBe(name);
  });

  test("is written as the user can type it, and nothing else changes", () => {
    const advice =
      "Run `gatehouse doctor`, npx gatehouse init or gatehouse --help. See gatehouse.env and /opt/gatehouse in Gatehouse.";
    expect(runnable(advice, "npx gatehouse")).toBe(
      "Run `npx gatehouse doctor`, npx gatehouse init or npx gatehouse --help. See gatehouse.env and /opt/gatehouse in Gatehouse.",
    );
    expect(runnable(advice, "gatehouse")).toBe(advice);
  });

  test("names npx where npm linked the command into a folder", async () => {
    const folder = temporaryFolder();
    const bin = join(folder, "node_modules/.bin");
    await mkdir(bin, { recursive: true });
    symlinkSync(inject("gatehouseCommand"), join(bin, "gatehouse"));
    const env = { PATH: process.env.PATH };
    const help = execFileSync(process.execPath, [join(bin, "gatehouse"), "--help"], { env });
    expect(String(help)).toContain("Run npx gatehouse demo, then npx gatehouse init");
  });
});
