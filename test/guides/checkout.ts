import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** What building leaves in a checkout, beside what it installs. */
const BUILT = ["dist", "generated"];

const git = (root: string, ...args: string[]) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" });

/** What somebody gets who clones; while something is being changed here, what they would get then. */
export function cloneTracked(root: string, folder: string): void {
  if (git(root, "status", "--porcelain") === "") {
    git(root, "clone", "-q", ".", folder);
    return;
  }
  for (const path of git(root, "ls-files", "-z").split("\0")) {
    // A file that was deleted is listed until that is committed.
    if (path === "" || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true });
  }
}

/** Every entry by itself, so that the packages of the repository are those of the clone. */
function linkModules(root: string, folder: string): void {
  const to = join(folder, "node_modules");
  mkdirSync(to);
  for (const name of readdirSync(join(root, "node_modules"))) {
    const from = join(root, "node_modules", name);
    if (name === "@gatehouse")
      cpSync(from, join(to, name), { recursive: true, verbatimSymlinks: true });
    else if (!name.startsWith("gatehouse-example-")) symlinkSync(from, join(to, name));
  }
}

/** A clean clone of the repository, installed and built: what `npm install` leaves. */
export function cleanCheckout(root: string, folder: string): void {
  cloneTracked(root, folder);
  linkModules(root, folder);
  for (const name of readdirSync(join(root, "packages"))) {
    const own = join("packages", name);
    for (const built of BUILT) {
      if (!existsSync(join(root, own, built))) continue;
      cpSync(join(root, own, built), join(folder, own, built), { recursive: true });
    }
    const modules = join(root, own, "node_modules");
    if (existsSync(modules)) symlinkSync(modules, join(folder, own, "node_modules"));
  }
}

/** Commands a shell finds: ours, and `npx` for what is installed, without its second of start. */
export function writeCommands(checkout: string, folder: string): void {
  const bin = join(checkout, "packages/cli/bin/gatehouse.js");
  const scripts = {
    gatehouse: `exec "${process.execPath}" "${bin}" "$@"`,
    npx: `name=$1; shift; [ "$name" = gatehouse ] && exec gatehouse "$@"; exec "${checkout}/node_modules/.bin/$name" "$@"`,
  };
  mkdirSync(folder);
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

/** A folder that looks like the checkout, and is one reader's own: what they leave there, nobody else sees. */
export function readersFolder(checkout: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(checkout)) symlinkSync(join(checkout, name), join(folder, name));
}
