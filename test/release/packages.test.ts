import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../source.ts";

const run = promisify(execFile);
/** The libraries, for whoever writes an agent, runs a website or verifies. The service is one package of its own. */
const LIBRARIES = ["protocol", "safe-fetch", "agent", "edge"];
/** Beside these a package is what was built of it. */
const ALLOWED = /^(?:package\.json|README\.md|LICENSE|dist\/.+)$/;
const INSTALL_MS = 180_000;

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

describe("the libraries, installed from their tarballs in an empty folder,", () => {
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
    const named = LIBRARIES.map((name) => `--workspace=packages/${name}`);
    const { stdout } = await run("npm", [...args, ...named], { cwd: root });
    const packed = JSON.parse(stdout) as Packed[];
    for (const name of LIBRARIES) {
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

  test.each(LIBRARIES)("include %s with what was built, its licence, and nothing else", (name) => {
    const held = files.get(name) ?? [];
    expect(held.filter((path) => !ALLOWED.test(path))).toEqual([]);
    expect(held).toEqual(expect.arrayContaining(["LICENSE", "README.md"]));
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
