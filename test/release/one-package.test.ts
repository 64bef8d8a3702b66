import { execFile, execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { validate } from "dockerfile-utils";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../free-port.ts";
import { root } from "../source.ts";
import { shellBlocks } from "./old-release.ts";
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
  let tarball = "";
  const read = (file: string) => readFileSync(join(installed, file), "utf8");

  /** Stages and packs it, and returns the tarball. */
  async function pack(): Promise<string> {
    const staged = join(folder, "staged");
    const to = join(folder, "tarball");
    mkdirSync(to);
    await run(process.execPath, ["scripts/release/stage.mjs", staged], { cwd: root });
    await run("npm", ["pack", "--silent", "--pack-destination", to], { cwd: staged });
    const [tarball = ""] = readdirSync(to);
    return join(to, tarball);
  }

  beforeAll(async () => {
    mkdirSync(place);
    mkdirSync(env.HOME);
    writeFileSync(join(place, "package.json"), '{"private":true}');
    tarball = await pack();
    const offline = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...offline, tarball], { cwd: place, env });
  }, STAGE_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

  /** Starts the installed command, to be ended by the test; `until` waits for a text that it prints. */
  function start(cwd: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
    const bin = join(place, "node_modules/.bin/gatehouse");
    const child = spawn(bin, args, { cwd, env: { ...env, ...more } });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    let text = "";
    const listeners = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        text += chunk;
        for (const listener of listeners) listener();
      });
    }
    const until = (wanted: RegExp) =>
      new Promise<readonly string[]>((resolve, reject) => {
        const look = () => {
          const found = wanted.exec(text);
          if (found !== null) resolve(found);
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`ended without ${wanted}: ${text}`)));
      });
    return { child, ended, until, text: () => text };
  }

  test("walks the whole product on the port that was named, serves its shop until it is stopped, and leaves nothing behind", {
    timeout: WALK_MS,
  }, async () => {
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    // Of an installation that is meant: the walk is on one of its own.
    const elsewhere = "GATEHOUSE_DATA_DIR=./real\nGATEHOUSE_BASE_URL=http://127.0.0.1:9\n";
    writeFileSync(join(place, "gatehouse.env"), elsewhere, { mode: 0o600 });
    const before = allIn(place);
    const port = String(await freePort());
    const demo = start(place, ["demo", "--port", port], { TMPDIR: temporary });
    await demo.until(/Ctrl-C stops everything and cleans up\./);
    expect(demo.text()).toContain("Everything worked.");
    expect(demo.text()).not.toContain("not reported");

    const url = `http://localhost:${port}`;
    // Browsers offer passkeys at localhost, and not at an IP address.
    const [, link] = await demo.until(/ (http:\S+)\/console#set-up=/);
    expect(link).toBe(url);
    const bases = (demo.text().match(/GATEHOUSE_BASE_URL=\S+/g) ?? []).map(
      (one) => one.split("=")[1],
    );
    expect(new Set(bases)).toEqual(new Set([url]));
    expect(demo.text()).not.toContain(`127.0.0.1:${port}`);
    const [, shop] = await demo.until(/the shop at http:\/\/shop\.localhost:(\d+)\//);
    for (const address of [`${url}/readyz`, `${url}/docs`, `http://127.0.0.1:${shop}/`]) {
      expect([address, (await fetch(address)).status]).toEqual([address, 200]);
    }
    const second = start(place, ["demo", "--port", port], { TMPDIR: temporary });
    expect(await second.ended).not.toBe(0);
    expect(second.text()).toContain(`Port ${port} is in use. Choose another with --port.`);

    demo.child.kill("SIGINT");
    expect(await demo.ended).toBe(0);
    expect([allIn(place), allIn(temporary)]).toEqual([before, []]);
    rmSync(join(place, "gatehouse.env"));
  });

  test("sets up a site whose documents verify, and sells to an agent", async () => {
    const own = join(folder, "own");
    mkdirSync(own);
    const address = `http://localhost:${await freePort()}`;
    const service = start(own, [
      ...["init", "--domain", "shop.localhost", "--name", "Fern & Petal", "--sandbox"],
      ...["--address", address, "--limit", "50.00 EUR", "--timezone", "Europe/Berlin"],
    ]);
    await service.until(/The service is running\. Press Ctrl-C to stop it\./);
    const command = async (...args: string[]) => {
      const { ended, text } = start(own, args);
      expect([await ended, text()]).toEqual([0, text()]);
      return text();
    };
    const page = `${address}/v1/agent/domain/shop.localhost`;
    expect(await command("verify", page)).toContain("The agent page of shop.localhost is valid");

    writeFileSync(join(own, "products.csv"), "id,title,price,currency\nrose,A rose,12.50,EUR\n");
    await command("product", "import", "shop.localhost", "products.csv");
    await command("skill", "set", "shop.localhost", "place_order");
    expect(await command("site", "gates", "shop.localhost")).toContain("Agents can buy.");
    await command("agent", "keygen", "--out", "agent-key.json");
    const named = ["--name", "Flower buyer", "--contact", "ops@agent.example"];
    const added = await command("agent", "register", page, "--key", "agent-key.json", ...named);
    const [agent = ""] = /agt_[\w-]+/.exec(added) ?? [];
    await command("agent", "approve", "shop.localhost", agent);
    const bought = await command(
      ...["mandate", "send", page, "--key", "agent-key.json", "--agent", agent],
      ...["--skill", "place_order", "--arguments", '{"items":[{"id":"rose","quantity":1}]}'],
      ...["--total", "12.50", "--currency", "EUR", "--pay", "sandbox:pm_card_visa"],
    );
    expect(bought).toContain('"outcome": "approved"');
    const orders = await command("order", "list", "shop.localhost");
    expect(orders).toMatch(/12\.50 EUR .*1 × rose/);
    await command("backup", "--out", "gatehouse.backup");
    service.child.kill("SIGTERM");
    expect(await service.ended).toBe(0);

    // A new machine, with what was kept of this one.
    const moved = join(folder, "moved");
    mkdirSync(moved);
    for (const file of [
      "gatehouse.backup",
      "gatehouse.env",
      "data/checkpoints",
      "data/secrets.key",
    ]) {
      cpSync(join(own, file), join(moved, basename(file)), { recursive: true });
    }
    copyFileSync(tarball, join(moved, basename(tarball)));
    const [block = ""] = shellBlocks(join(root, "docs/operations/backup.md"), "In a new folder");
    const serve = "npx gatehouse serve\n";
    expect(block.endsWith(serve)).toBe(true);
    const words = ["-ec", block.slice(0, -serve.length)];
    const { stdout } = await run("sh", words, { cwd: moved, env });
    expect(stdout).toMatch(/^Restored \d+ rows /m);
    expect(stdout).not.toMatch(/^✗|not verified|no longer valid/m);
    const again = start(moved, ["serve"]);
    await again.until(/is ready/);
    const listed = start(moved, ["order", "list", "shop.localhost"]);
    expect([await listed.ended, listed.text()]).toEqual([0, orders]);
    again.child.kill("SIGTERM");
    expect(await again.ended).toBe(0);
  });

  test("serves the console and the documentation, and stops on a signal", async () => {
    const settings = { GATEHOUSE_MODE: "development", GATEHOUSE_PORT: "0" };
    const service = start(place, ["serve"], settings);
    const [, url = ""] = await service.until(/listening on {2}(\S+)/);
    for (const path of ["/readyz", "/console", "/docs/README.md", "/embed.js", "/openapi.json"]) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    }
    service.child.kill("SIGTERM");
    expect(await service.ended).toBe(0);
    expect(readdirSync(join(place, "data"))).toContain("admin-token");
  });
});
