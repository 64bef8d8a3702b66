import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../packages/server/src/version.ts";
import { LIBRARIES } from "../../scripts/release/pack.mjs";
import { cloneTracked } from "../guides/checkout.ts";
import { root } from "../source.ts";

const run = promisify(execFile);
const BUILD_MS = 600_000;

/** Copies a folder of modules as links to the same files, or as files where the disk is another one. */
function copyModules(from: string, to: string): void {
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync("cp", ["-a", from, to]);
  }
}

/** Builds a clean copy of the source in a folder, and returns the folder with the files of the release. */
async function release(folder: string, name: string): Promise<string> {
  const copy = join(folder, name);
  cloneTracked(root, copy);
  const packages = readdirSync(join(root, "packages")).map((one) => join("packages", one));
  for (const own of [".", ...packages].map((one) => join(one, "node_modules"))) {
    if (existsSync(join(root, own))) copyModules(join(root, own), join(copy, own));
  }
  await run("npm", ["run", "--silent", "build"], { cwd: copy });
  await run(process.execPath, ["scripts/release/pack.mjs", "out"], { cwd: copy });
  return join(copy, "out");
}

describe("a release", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-release-"));
  let folders: readonly string[] = [];
  beforeAll(async () => {
    // In folders with names of different length: the place must not change the bytes.
    folders = await Promise.all(["first", "another-copy"].map((name) => release(folder, name)));
  }, BUILD_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("consists of the package, the libraries, the plugin for WordPress, and what is inside", () => {
    const [first = ""] = folders;
    const libraries = LIBRARIES.map((name) => `gatehouse-${name}-${VERSION}.tgz`);
    const files = [
      ...[`gatehouse-${VERSION}.tgz`, `gatehouse-wordpress-${VERSION}.zip`, ...libraries],
      "sbom.cdx.json",
    ].sort();
    expect(readdirSync(first).sort()).toEqual(["SHA256SUMS", ...files].sort());
    const sums = files.map((name) => {
      const bytes = readFileSync(join(first, name));
      return `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`;
    });
    expect(readFileSync(join(first, "SHA256SUMS"), "utf8")).toBe(sums.join(""));
  });

  test("has the same bytes in every file when it is built from two clean copies", () => {
    const [first = "", second = ""] = folders;
    const differing = readdirSync(first).filter(
      (name) => !readFileSync(join(first, name)).equals(readFileSync(join(second, name))),
    );
    expect([readdirSync(second), differing]).toEqual([readdirSync(first), []]);
  });
});
