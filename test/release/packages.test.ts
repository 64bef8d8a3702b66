import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { LIBRARIES, packLibraries } from "../../scripts/release/pack.mjs";
import { root } from "../source.ts";

const run = promisify(execFile);
const ADDRESS = "https://github.com/owner/name";
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

/** The libraries are modules of ECMAScript alone, so these resolutions are not for them. */
function isOfCommonJs(problem: string | Problem): boolean {
  if (typeof problem === "string") return false;
  const kind = "resolutionKind" in problem ? problem.resolutionKind : undefined;
  return problem.kind === "CJSResolvesToESM" || kind === "node10" || kind === "node16-cjs";
}

describe("the libraries, installed from their tarballs in an empty folder,", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-packages-"));
  const home = join(folder, "home");
  const place = join(folder, "place");
  // Nothing of this checkout, and of nobody's own settings but where packages come from.
  const env = { PATH: process.env.PATH, HOME: home, GATEHOUSE_LOG: "silent" };
  const tarballs: string[] = [];
  beforeAll(async () => {
    mkdirSync(home);
    mkdirSync(place);
    writeFileSync(join(place, "package.json"), '{"private":true,"type":"module"}');
    // A workflow sets this. Somebody who checks a release does not, and must get the same bytes.
    vi.stubEnv("GITHUB_REPOSITORY", "somebody/else");
    tarballs.push(...packLibraries(folder, ADDRESS).map((name) => join(folder, name)));
    vi.unstubAllEnvs();
    const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
    await run("npm", ["install", ...quiet, ...tarballs], { cwd: place });
  }, INSTALL_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(LIBRARIES)("include %s with what was built, its licence, and nothing else", (name) => {
    const installed = join(place, "node_modules/@gatehouse", name);
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(installed, join(entry.parentPath, entry.name)));
    expect(files.filter((path) => !ALLOWED.test(path))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md"]));
  });

  test.each(LIBRARIES)("name in %s the repository that was given, in any environment", (name) => {
    const manifest = readFileSync(join(place, "node_modules/@gatehouse", name, "package.json"));
    expect(JSON.parse(manifest.toString()).repository).toEqual({
      type: "git",
      url: `git+${ADDRESS}.git`,
      directory: `packages/${name}`,
    });
  });

  test.each(LIBRARIES.map((name, i) => [name, i] as const))(
    "have in %s no fault that publint or Are The Types Wrong finds",
    async (_name, i) => {
      const tarball = readFileSync(tarballs[i] as string);
      const packed = new Uint8Array(tarball).buffer;
      expect((await publint({ pack: { tarball: packed }, strict: true })).messages).toEqual([]);
      const checked = await checkPackage(createPackageFromTarballData(tarball));
      const problems = "problems" in checked ? checked.problems : ["it has no types"];
      expect(problems.filter((one) => !isOfCommonJs(one))).toEqual([]);
    },
  );

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
