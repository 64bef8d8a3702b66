import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import { siteWithSkills } from "../contract/asking.ts";
import { recordedCalls } from "../contract/calling.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(root, "docs/guide/mcp.md"), "utf8");

/** The program of the guide that begins so, where a reader who copies it would run it. */
function copied(fence: string, file: string): string {
  const [, code = ""] = new RegExp(`\n\`\`\`${fence}([\\s\\S]*?)\n\`\`\`\n`).exec(guide) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, file), `${code}\n`);
  return join(folder, file);
}

const addressOf = (key: string) => `${inject("target").url}/v1/mcp/${key}`;

test("the guide's program with the official client lists the tools and calls the first one", async () => {
  const { site, live } = await siteWithSkills();
  const file = copied("js\n", "agent.mjs");
  const { stdout } = await run(process.execPath, [file, addressOf(site.site_key)]);
  for (const { id } of live) expect(stdout).toContain(`${id} - `);
  expect(stdout).toContain(`"url":"${live[0]?.url}"`);
  expect(await recordedCalls(site)).toHaveLength(1);
});

const curl = spawnSync("curl", ["--version"]).status === 0;
test.skipIf(!curl)("the guide's curl commands list the tools and call the first one", async () => {
  const { site, live } = await siteWithSkills();
  // Its first line says the address.
  const lines = copied("sh\nURL=.*\n", "agent.sh");
  const env = { ...process.env, URL: addressOf(site.site_key) };
  const { stdout } = await run("sh", [lines], { env });
  for (const { id } of live) expect(stdout).toContain(`"name":"${id}"`);
  expect(stdout).toContain('"isError":false');
  expect(await recordedCalls(site)).toHaveLength(1);
});
