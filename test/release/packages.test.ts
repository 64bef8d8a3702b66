import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../source.ts";

const run = promisify(execFile);
/** What a person needs who serves, walks the demo, writes an agent or verifies. */
const NEEDED = ["protocol", "safe-fetch", "agent", "edge", "server", "cli", "demo"];
/** Beside these a package is what was built of it, and its command. */
const ALLOWED = /^(?:package\.json|README\.md|LICENSE|dist\/.+|bin\/gatehouse\.js)$/;
const INSTALL_MS = 180_000;
const WALK_MS = 240_000;

const TYPES = `import { type DiscoveredSite, generateAgentKey, mandateFor } from "@gatehouse/agent";
import { exportVerifier, type JsonObject, verifyCard } from "@gatehouse/protocol";
const site: Pick<DiscoveredSite, "mandateUrl" | "siteKey"> = { mandateUrl: "", siteKey: "" };
const mandate: JsonObject = mandateFor(site, "agt_12345678", { skill: "get_pricing" });
export const all = [generateAgentKey, exportVerifier, verifyCard, mandate];
`;
const LIBRARY = `import { generateAgentKey, mandateFor, openAgentKey, sign } from "@gatehouse/agent";
import { canonicalBytes, verifyTagged } from "@gatehouse/protocol";
const key = await openAgentKey(await generateAgentKey());
const site = { mandateUrl: "https://gate.example/v1/m/x/mandate", siteKey: "x" };
const { signed, envelope } = await sign(mandateFor(site, "agt_12345678", { skill: "a" }), key);
const holds = await verifyTagged("mandate", signed, envelope.signature, key.jwk);
console.log(holds, canonicalBytes(signed).length > 0);
`;

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const allIn = (folder: string) => readdirSync(folder, { recursive: true }).sort();

describe("the packages, installed from their tarballs in an empty folder,", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-packages-"));
  const home = join(folder, "home");
  const place = join(folder, "place");
  // Nothing of this checkout, and of nobody's own settings but where packages come from.
  const env = { PATH: process.env.PATH, HOME: home, GATEHOUSE_LOG: "silent" };
  const files = new Map<string, readonly string[]>();
  beforeAll(async () => {
    mkdirSync(home);
    mkdirSync(place);
    writeFileSync(join(place, "package.json"), '{"private":true,"type":"module"}');
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
    const named = NEEDED.map((name) => `--workspace=packages/${name}`);
    const { stdout } = await run("npm", [...args, ...named], { cwd: root });
    const packed = JSON.parse(stdout) as Packed[];
    for (const name of NEEDED) {
      const { name: full } = JSON.parse(
        readFileSync(join(root, "packages", name, "package.json"), "utf8"),
      );
      const found = packed.find((one) => one.name === full)?.files ?? [];
      files.set(
        name,
        found.map(({ path }) => path),
      );
    }
    const tarballs = packed.map(({ filename }) => join(folder, filename));
    const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
    await run("npm", ["install", ...quiet, ...tarballs], { cwd: place });
  }, INSTALL_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(NEEDED)("include %s with what was built, its licence, and nothing else", (name) => {
    const held = files.get(name) ?? [];
    expect(held.filter((path) => !ALLOWED.test(path))).toEqual([]);
    expect(held).toEqual(expect.arrayContaining(["LICENSE", "README.md"]));
  });

  test("run the demo to its end, and it leaves nothing behind", { timeout: WALK_MS }, async () => {
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    // Of an installation that is meant: the walk is on one of its own.
    const elsewhere = "GATEHOUSE_DATA_DIR=./real\nGATEHOUSE_BASE_URL=http://127.0.0.1:9\n";
    writeFileSync(join(place, "gatehouse.env"), elsewhere, { mode: 0o600 });
    const before = allIn(place);
    const settings = { cwd: place, env: { ...env, TMPDIR: temporary } };
    const { stdout, stderr } = await run("npx", ["gatehouse", "demo", "--once"], settings);
    expect(stdout).toContain("Everything answered as it should.");
    expect(stderr).not.toContain("not reported");
    expect([allIn(place), allIn(temporary)]).toEqual([before, []]);
    rmSync(join(place, "gatehouse.env"));
  });

  test("serve the console and the documentation, and stop on a signal", async () => {
    const settings = { GATEHOUSE_MODE: "development", GATEHOUSE_PORT: "0" };
    const bin = join(place, "node_modules/.bin/gatehouse");
    const child = spawn(bin, ["serve"], { cwd: place, env: { ...env, ...settings } });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const url = await new Promise<string>((resolve) => {
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
        const found = /listening on {2}(\S+)/.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    for (const path of ["/readyz", "/console", "/docs/README.md", "/embed.js", "/openapi.json"]) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    }
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(readdirSync(join(place, "data"))).toContain("admin-token");
  });

  test("contain the agent client and the verifier as libraries with types", async () => {
    writeFileSync(join(place, "library.js"), LIBRARY);
    const { stdout } = await run(process.execPath, ["library.js"], { cwd: place, env });
    expect(stdout).toBe("true true\n");
    writeFileSync(join(place, "types.ts"), TYPES);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
    const tsc = join(root, "node_modules/.bin/tsc");
    await run(tsc, [...options, "--lib", "es2023,dom", "--types", "", "types.ts"], { cwd: place });
  });
});
