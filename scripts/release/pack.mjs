/**
 * `node scripts/release/pack.mjs <folder> [--repository https://github.com/<owner>/<name>]` makes every file of a
 * release: the package `gatehouse`, the libraries, the plugin for WordPress, the list of what is inside, and the digests
 * of all. Run `npm run build` before. The same source and the same address of the repository make the same bytes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { packPlugin } from "../build-wordpress.mjs";
import { repository, stage } from "./stage.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** For people who write an agent, run a website or verify. */
export const LIBRARIES = ["protocol", "safe-fetch", "agent", "edge"];
/** The condition under which our own tests read the source, which is not packed. */
const SOURCE = "gatehouse-source";

const withoutSource = (exported) =>
  Object.fromEntries(
    Object.entries(exported).map(([path, { [SOURCE]: _, ...conditions }]) => [path, conditions]),
  );

/** Puts a library into a folder as it is published. */
function stageLibrary(name, folder, address) {
  const from = join(root, "packages", name);
  const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  mkdirSync(folder, { recursive: true });
  cpSync(join(from, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(from, "README.md"), join(folder, "README.md"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  const published = {
    ...manifest,
    engines,
    ...repository(address, `packages/${name}`),
    exports: withoutSource(manifest.exports),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
}

function pack(staged, to) {
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", resolve(to)];
  return execFileSync("npm", args, { cwd: staged, encoding: "utf8" }).trim();
}

/** Packs the libraries into a folder, and returns the names of the files. */
export function packLibraries(to, address) {
  const work = mkdtempSync(join(tmpdir(), "gatehouse-pack-"));
  try {
    return LIBRARIES.map((name) => {
      stageLibrary(name, join(work, name), address);
      return pack(join(work, name), to);
    });
  } finally {
    rmSync(work, { recursive: true });
  }
}

async function packAll(to, address) {
  mkdirSync(to, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "gatehouse-pack-"));
  try {
    await stage(work, address);
    pack(work, to);
    cpSync(join(work, "sbom.cdx.json"), join(to, "sbom.cdx.json"));
  } finally {
    rmSync(work, { recursive: true });
  }
  packLibraries(to, address);
  packPlugin(to);
  const names = readdirSync(to).filter((name) => name !== "SHA256SUMS");
  const digest = (name) =>
    createHash("sha256")
      .update(readFileSync(join(to, name)))
      .digest("hex");
  const sums = names.sort().map((name) => `${digest(name)}  ${name}\n`);
  writeFileSync(join(to, "SHA256SUMS"), sums.join(""));
  return names;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { repository: { type: "string" } },
  });
  const [to] = positionals;
  if (to === undefined) throw new Error("name the folder to put the files into");
  const address = values.repository;
  if (address !== undefined && !/^https:\/\/[^/]+(?:\/[\w.-]+){2}$/.test(address)) {
    throw new Error("--repository: an address such as https://github.com/<owner>/<name>");
  }
  console.log((await packAll(to, address)).join("\n"));
}
