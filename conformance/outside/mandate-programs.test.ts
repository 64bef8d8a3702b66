import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateAgentKey } from "@gatehouse/agent";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { askAsOperator, newSite } from "../contract/asking.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(root, "docs/guide/mandates.md"), "utf8");
// Inside the checkout, so that the packages are found as in a project that has them.
const folder = mkdtempSync(join(root, "node_modules/.mandate-programs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The program of the guide in one language, exactly as a reader would copy it. */
function program(language: string): string {
  const [, code] = new RegExp(`\n\`\`\`${language}\n([\\s\\S]*?)\n\`\`\`\n`).exec(guide) ?? [];
  if (code === undefined) throw new Error(`the guide has no program in ${language}`);
  return `${code}\n`;
}

const PROGRAMS = [
  {
    language: "ts",
    there: true,
    command: process.execPath,
    file: "mandate.mjs",
    text: () => transformSync(program("ts"), { loader: "ts", format: "esm" }).code,
  },
  {
    language: "python",
    there: spawnSync("python3", ["-c", "import cryptography"]).status === 0,
    command: "python3",
    file: "mandate.py",
    text: () => program("python"),
  },
];

let made: Awaited<ReturnType<typeof newSite>>;
let args: string[];
beforeAll(async () => {
  made = await newSite();
  const { site_key, site_key_hash } = made.site;
  const admin = (method: string, path: string, body: unknown) =>
    askAsOperator(method, `/v1/admin/sites/${site_key_hash}${path}`, body);
  await admin("POST", "/verify", { method: "operator", reason: "conformance" });
  const skills = ["get_pricing", "contact_support", "sign_up"].map((id) => ({
    id,
    enabled: true,
    url: `https://shop.example.com/${id}`,
  }));
  await admin("PUT", "/skills", { skills });
  const [, policy = ""] = /```json\n([\s\S]*?)\n```/.exec(guide) ?? [];
  expect((await admin("PUT", "/policy", JSON.parse(policy))).status).toBe(200);
  const key = await generateAgentKey();
  writeFileSync(join(folder, "key.json"), JSON.stringify(key));
  const { kty, crv, x } = key;
  const added = await admin("POST", "/agents", { name: "Reader", jwk: { kty, crv, x } });
  const card = `${inject("target").url}/v1/agent-card/${site_key}.json`;
  args = [card, join(folder, "key.json"), added.body.agent_id];
  return async () => void (await made.done());
});

describe.each(PROGRAMS)("the guide's program in $language", ({ there, command, file, text }) => {
  const run = (skill: string) =>
    new Promise<string>((resolve) => {
      execFile(command, [join(folder, file), ...args, skill], (_error, stdout, stderr) =>
        resolve(stdout.trim() || stderr),
      );
    });

  test.skipIf(!there)("gets the answers that the guide describes", async () => {
    writeFileSync(join(folder, file), text());
    expect(await run("get_pricing")).toBe("approved");
    expect(await run("contact_support")).toBe("escalated");
    expect(await run("sign_up")).toBe("rejected policy_denied");
  });
});
