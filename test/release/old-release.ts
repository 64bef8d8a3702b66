import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stage } from "../../scripts/release/stage.mjs";
import { root } from "../source.ts";

/** The last commit of version 0.1.0: after it comes the first change that the changelog lists under 0.2.0. */
const OLD_COMMIT = "7641790f6502bb731fafc4e2719a838f635acb66";

/** Why 0.1.0 cannot be built here; undefined where the history is complete enough. */
export function historyProblem(): string | undefined {
  const { status } = spawnSync("git", ["cat-file", "-e", `${OLD_COMMIT}^{commit}`], { cwd: root });
  return status === 0 ? undefined : `the history has no commit ${OLD_COMMIT}, which is 0.1.0`;
}

/**
 * Builds 0.1.0 from the history, or takes a folder where that was done before. It had no lock file, and does not
 * build with dependencies of today: those that are pinned for this version are pinned for it too.
 */
export function buildOldRelease(from: string): string {
  if (from !== "history") return from;
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-0.1.0-"));
  // The service reads it as another user.
  chmodSync(folder, 0o755);
  const archive = execFileSync("git", ["archive", OLD_COMMIT], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  const manifest = join(folder, "package.json");
  const { overrides } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const old = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, JSON.stringify({ ...old, overrides }, null, 2));
  try {
    npmIn(folder, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--include=dev");
    npmIn(folder, "run", "build");
  } catch (cause) {
    rmSync(folder, { recursive: true });
    throw cause;
  }
  return folder;
}

/** Compilers write their errors to the standard output. */
function npmIn(folder: string, ...words: string[]): void {
  const { status, stdout, stderr } = spawnSync("npm", words, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${words.join(" ")} of 0.1.0: ${stdout}${stderr}`);
}

/** The release file of this version, in a folder. */
export async function packRelease(to: string): Promise<void> {
  const staged = mkdtempSync(join(tmpdir(), "gatehouse-staged-"));
  try {
    await stage(staged);
    mkdirSync(to, { recursive: true });
    execFileSync("npm", ["pack", "--silent", "--pack-destination", to], { cwd: staged });
  } finally {
    rmSync(staged, { recursive: true });
  }
}

/** The shell blocks below a heading of a document, up to the next heading. */
export function shellBlocks(document: string, heading: string): readonly string[] {
  const sections = readFileSync(document, "utf8").split(/^##+ /m);
  const section = sections.find((text) => text.split("\n")[0] === heading);
  if (section === undefined) throw new Error(`${document} has no heading “${heading}”`);
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
}
