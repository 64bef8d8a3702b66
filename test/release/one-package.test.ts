import { execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { validate } from "dockerfile-utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../source.ts";
import { packagesInside } from "./packages-inside.ts";

const run = promisify(execFile);
const STAGE_MS = 120_000;
const WALK_MS = 240_000;
const INSTALLED_BYTES_MAX = 60 * 2 ** 20;
/** Node 20 has no SQLite of its own: what brings it must be there for every platform that is supported. */
const PLATFORMS = [
  "darwin-arm64",
  "darwin-x64",
  "linux-arm64",
  "linux-x64",
  "win32-arm64",
  "win32-x64",
];

/** An entry of the list of what is inside, as CycloneDX has it. */
interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses: readonly unknown[];
  readonly hashes: readonly [{ readonly content: string }];
}

const allIn = (folder: string) => readdirSync(folder, { recursive: true }).sort();

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.reduce((sum, file) => sum + lstatSync(join(folder, file)).size, 0);
}

describe("the package `gatehouse`, installed from its tarball alone,", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-package-"));
  const place = join(folder, "place");
  const installed = join(place, "node_modules/gatehouse");
  const env = { PATH: process.env.PATH, HOME: join(folder, "home"), GATEHOUSE_LOG: "silent" };
  const read = (file: string) => readFileSync(join(installed, file), "utf8");

  /** Stages and packs it, and gives back the tarball. */
  async function pack(name: string): Promise<string> {
    const staged = join(folder, name);
    const to = join(folder, `${name}-tarball`);
    mkdirSync(to);
    await run(process.execPath, ["scripts/release/stage.mjs", staged], { cwd: root });
    await run("npm", ["pack", "--silent", "--pack-destination", to], { cwd: staged });
    const [tarball = ""] = readdirSync(to);
    return join(to, tarball);
  }

  let tarballs: readonly string[];
  beforeAll(async () => {
    mkdirSync(place);
    mkdirSync(env.HOME);
    writeFileSync(join(place, "package.json"), '{"private":true}');
    tarballs = [await pack("first"), await pack("second")];
    const offline = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...offline, tarballs[0] as string], { cwd: place, env });
  }, STAGE_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is made of the same bytes whenever it is built from the same source", () => {
    const [first, second] = tarballs.map((file) =>
      createHash("sha256").update(readFileSync(file)).digest("hex"),
    );
    expect(first).toBe(second);
  });

  test("has no dependency, no install script and at most 60 MB", () => {
    const { dependencies, optionalDependencies, scripts } = JSON.parse(read("package.json"));
    expect([dependencies, optionalDependencies, scripts]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(
      readdirSync(join(place, "node_modules")).filter((name) => !name.startsWith(".")),
    ).toEqual(["gatehouse"]);
    expect(bytesIn(installed)).toBeLessThan(INSTALLED_BYTES_MAX);
  });

  test("brings every file of deploy/ and every program of examples/, and no more", () => {
    const tracked = (name: string) =>
      execFileSync("git", ["ls-files", name], { cwd: root, encoding: "utf8" }).trim().split("\n");
    const listed = [...tracked("deploy"), ...tracked("examples")].filter(
      (path) => !path.endsWith(".gitignore"),
    );
    const files = ["deploy", "examples"].flatMap((name) =>
      readdirSync(join(installed, name), { recursive: true, encoding: "utf8" })
        .map((path) => `${name}/${path}`)
        .filter((path) => lstatSync(join(installed, path)).isFile()),
    );
    expect(files.sort()).toEqual(listed.sort());
  });

  test("makes an image from its own files, without the secrets that operators put beside them", () => {
    const dockerfile = read("deploy/Dockerfile");
    expect(validate(dockerfile)).toEqual([]);
    expect(dockerfile.match(/^FROM /gm)).toHaveLength(1);
    const sources = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = ""]) =>
      paths.split(" "),
    );
    expect(sources.sort()).toEqual(
      [
        "LICENSE",
        "THIRD-PARTY-LICENSES.txt",
        "bin",
        "deploy/healthcheck.mjs",
        "dist",
        "package.json",
        "sbom.cdx.json",
      ].sort(),
    );
    for (const path of sources) expect(lstatSync(join(installed, path))).toBeDefined();
  });

  test("brings SQLite for every platform, for versions of Node that have none", () => {
    expect(readdirSync(join(installed, "dist/prebuilds")).sort()).toEqual(PLATFORMS);
  });

  test("lists exactly the packages inside of it, with the versions and digests that are locked", async () => {
    const { components } = JSON.parse(read("sbom.cdx.json")) as { components: Component[] };
    const listed = components.map(({ name, version, hashes: [{ content }] }) => {
      const integrity = `sha512-${Buffer.from(content, "hex").toString("base64")}`;
      return `${name}@${version} ${integrity}`;
    });
    expect(listed.sort()).toEqual(await packagesInside(installed));
  });

  test("brings the licence of every package inside of it", () => {
    const { components } = JSON.parse(read("sbom.cdx.json")) as { components: Component[] };
    const texts = read("THIRD-PARTY-LICENSES.txt");
    for (const { name, version, licenses } of components) {
      expect([name, licenses.length]).toEqual([name, 1]);
      expect(texts).toContain(`${name} ${version} (`);
    }
  });

  test("walks the whole product, and leaves nothing behind", { timeout: WALK_MS }, async () => {
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    // Of an installation that is meant: the walk is on one of its own.
    const elsewhere = "GATEHOUSE_DATA_DIR=./real\nGATEHOUSE_BASE_URL=http://127.0.0.1:9\n";
    writeFileSync(join(place, "gatehouse.env"), elsewhere, { mode: 0o600 });
    const before = allIn(place);
    const settings = { cwd: place, env: { ...env, TMPDIR: temporary } };
    const { stdout, stderr } = await run("npx", ["gatehouse", "demo", "--once"], settings);
    expect(stdout).toContain("Everything worked.");
    expect(stderr).not.toContain("not reported");
    expect([allIn(place), allIn(temporary)]).toEqual([before, []]);
    rmSync(join(place, "gatehouse.env"));
  });

  test("serves the console and the documentation, and stops on a signal", async () => {
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
});
