import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../packages/server/test/harness.ts";
import { stage } from "../../scripts/release/stage.mjs";
import { deployFile, readCompose, readImage, readImageSteps } from "../deploy-files.ts";
import { freePort } from "../free-port.ts";
import { root } from "../source.ts";
import { certificateFor, httpsProxy } from "./https-proxy.ts";
import { shellBlocks } from "./old-release.ts";
import { begin, composeEnv, type Env, output, untilReady } from "./processes.ts";
import { entering, makeRootFolder, PATH, rootFolderProblem } from "./root-folder.ts";

const ASSEMBLE_MS_MAX = 120_000;
const IMAGE_BYTES_MAX = 60 * 2 ** 20;
const DOMAIN = "gate.example.com";
const SITE = "shop.example.com";
/** The user of the base image. */
const USERS = { node: 1000 };
/** What only describes the image: it changes no file. */
const DESCRIPTIONS = ["ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK"];
const COMMANDS = ["ENTRYPOINT", "CMD"];

const BACKUP_PAGE = join(root, "docs/operations/backup.md");
/** What `docker compose` would do in this root folder. The service is started by the test. */
const COMPOSE = `#!/bin/sh
set -e
[ "$1" = compose ]
entrypoint=$ENTRYPOINT
case $2 in
  build | up) exit ;;
  exec) shift 3; exec $ENTER "$@" ;;
  run) shift 2 ;;
esac
while [ "$1" != gatehouse ]; do
  if [ "$1" = --entrypoint ]; then entrypoint=$2; shift; fi
  shift
done
shift
exec $ENTER $entrypoint "$@"
`;

const image = readImage();
const { read_only, tmpfs, cap_drop, security_opt } = readCompose("compose.yaml").services
  .gatehouse as Record<string, unknown>;

/** Does what the last stage of the Dockerfile says, on a folder. */
async function assemble(folder: string): Promise<void> {
  const { build, image: steps } = readImageSteps();
  for (const [keyword, text] of steps) {
    if (keyword === "COPY") {
      expect(deployFile("Dockerfile")).toContain(`COPY --from=build ${text}\n`);
      const [from = "", to = ""] = text.split(" ");
      // What the first stage makes is made by its last command.
      expect(build.at(-1)?.[1]).toMatch(new RegExp(`node scripts/release/stage.mjs ${from}$`));
      await stage(join(folder, to));
    } else if (keyword === "RUN") {
      const [program = "", ...words] = [...entering(folder, {}), "sh", "-c", text];
      execFileSync(program, words, { env: { PATH } });
    } else if (keyword === "WORKDIR") {
      execFileSync("mkdir", ["-p", join(folder, text)]);
    } else expect([...DESCRIPTIONS, ...COMMANDS]).toContain(keyword);
  }
}

/** Every file with its owner, its mode and a digest. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const described = names.map((name) => {
    const { uid, mode, isFile } = describeFile(join(folder, name));
    const bytes = isFile ? readFileSync(join(folder, name)) : "";
    const digest = createHash("sha256").update(bytes).digest("hex");
    return [name, `${uid} ${mode.toString(8)} ${digest}`];
  });
  return Object.fromEntries(described);
}

function describeFile(path: string) {
  const stat = lstatSync(path);
  return { uid: stat.uid, mode: stat.mode, size: stat.size, isFile: stat.isFile() };
}

const problem = rootFolderProblem();
if (problem !== undefined) console.warn(`The image is not put together here: ${problem}.`);

describe.skipIf(problem !== undefined)("the root file system of the image", () => {
  const folder = problem === undefined ? makeRootFolder(USERS) : "";
  beforeAll(() => assemble(folder), ASSEMBLE_MS_MAX);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const user = USERS[image.user as "node"];
  /** The mounts of compose.yaml. */
  const mounts = {
    isReadOnly: read_only === true,
    data: image.volumes,
    memory: tmpfs as string[],
  };
  const inside = (...words: readonly string[]) => [
    ...entering(folder, { user, ...mounts }),
    ...words,
  ];

  /** The settings of compose.yaml with a proxy on this machine, and those of a command that trusts the proxy. */
  async function settings(): Promise<{ env: Env; trust: Env }> {
    const port = String(await freePort());
    const pems = await certificateFor(DOMAIN);
    const given = { DOMAIN: `${DOMAIN}:${await httpsProxy(pems, port)}` };
    writeFileSync(join(folder, "etc/proxy.pem"), pems.cert);
    writeFileSync(join(folder, "etc/hosts"), `127.0.0.1 localhost ${DOMAIN}\n`);
    const composed = composeEnv("compose.yaml", "gatehouse", given, {});
    const env = { PATH, ...image.env, ...composed, GATEHOUSE_PORT: port };
    return { env, trust: { ...env, NODE_EXTRA_CA_CERTS: "/etc/proxy.pem" } };
  }

  test("adds at most 60 MB to its base, owned by root", () => {
    const names = readdirSync(join(folder, "app"), { recursive: true, encoding: "utf8" });
    const files = names.map((name) => describeFile(join(folder, "app", name)));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    console.log(`/app has ${(bytes / 2 ** 20).toFixed(1)} MB in ${files.length} files.`);
    expect(bytes).toBeLessThanOrEqual(IMAGE_BYTES_MAX);
    const others = files.filter(({ uid, mode, isFile }) => uid !== 0 || (isFile && mode & 0o022));
    expect(others).toEqual([]);
    expect(readdirSync(join(folder, "usr/local/bin"))).toEqual(["gatehouse", "node"]);
    expect(describeFile(join(folder, "data"))).toMatchObject({ uid: user, mode: 0o40700 });
  });

  test("serves a site as an unprivileged user, and can write to nothing but its volume", {
    timeout: ASSEMBLE_MS_MAX,
  }, async () => {
    // What compose.yaml asks an engine for, `entering` does.
    expect([user, read_only, tmpfs]).toEqual([1000, true, ["/tmp"]]);
    expect([cap_drop, security_opt]).toEqual([["ALL"], ["no-new-privileges:true"]]);
    const { env, trust } = await settings();
    const before = filesOf(join(folder, "app"));
    const service = begin(inside(...image.command), env);
    await untilReady(service);
    const status = readFileSync(`/proc/${service.child.pid}/status`, "utf8");
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(await output(inside(...image.healthcheck), env)).toBe('200 {"status":"ready"}\n');

    // The command of the image, as `docker compose exec` runs it.
    const gatehouse = (...words: string[]) => output(inside("gatehouse", ...words), trust);
    const site = JSON.parse(await gatehouse("site", "create", SITE, "--name", "Shop", "--json"));
    await gatehouse("site", "verify", SITE, "--method", "operator", "--reason", "known to us");
    const card = `${env.GATEHOUSE_BASE_URL}/v1/agent-card/${site.site_key}.json`;
    expect(await gatehouse("verify", card)).toContain("✓");
    expect(await gatehouse("doctor")).not.toMatch(/^✗/m);
    await gatehouse("backup", "--out", "/data/gatehouse.backup");

    // Some folders of this machine cannot be read; `find` says so and fails.
    const find =
      "find / \\( -path /proc -o -path /dev \\) -prune -o -writable ! -type l -print; true";
    const found = (await output(inside("sh", "-c", find), env)).trim().split("\n");
    expect(found.filter((path) => !/^\/data(\/|$)/.test(path))).toEqual(["/tmp"]);
    // Not even root could write there.
    const paths = ["/app/x", "/x", "/etc/x", "/usr/local/bin/x", "/home/x"];
    const touch = begin([...entering(folder, mounts), "touch", ...paths], env);
    await touch.ended;
    expect(touch.seen.err.match(/Read-only file system/g)).toHaveLength(paths.length);
    service.child.kill(image.stopSignal as NodeJS.Signals);
    expect(await service.ended).toBe(0);
    expect(filesOf(join(folder, "app"))).toEqual(before);
    expect(readdirSync(join(folder, "data"))).toContain("gatehouse.db");

    // A new machine, with what was kept of this one.
    const kept = temporaryFolder();
    for (const name of ["gatehouse.backup", "checkpoints", "secrets.key"]) {
      cpSync(join(folder, "data", name), join(kept, name), { recursive: true });
    }
    const old = readdirSync(join(folder, "data"));
    for (const name of old) rmSync(join(folder, "data", name), { recursive: true });
    const [block = ""] = shellBlocks(BACKUP_PAGE, "In a new container");
    const bin = temporaryFolder();
    writeFileSync(join(bin, "docker"), COMPOSE, { mode: 0o755 });
    const engine = { ENTER: inside().join(" "), ENTRYPOINT: image.command.slice(0, -1).join(" ") };
    const restored = begin(
      ["sh", "-ec", block],
      { ...trust, ...engine, PATH: `${bin}:${PATH}` },
      kept,
    );
    expect([await restored.ended, restored.seen.err]).toEqual([0, expect.any(String)]);
    expect(restored.seen.out).not.toMatch(/^✗/m);
    expect(readdirSync(join(folder, "data")).sort()).toEqual(
      ["checkpoints", "gatehouse.db", "secrets.key"].sort(),
    );
    const again = begin(inside(...image.command), env);
    await untilReady(again);
    expect(JSON.parse(await gatehouse("site", "show", SITE, "--json")).site_key).toBe(
      site.site_key,
    );
    again.child.kill(image.stopSignal as NodeJS.Signals);
    expect(await again.ended).toBe(0);
  });
});
