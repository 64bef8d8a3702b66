import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root as repository } from "../source.ts";

/** Where a container looks for programs. */
export const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const SCRIPT = join(repository, "test/release/enter-root.sh");
/** Links of a system whose programs and libraries are all in /usr. */
const LINKS = ["bin", "sbin", "lib", "lib64"];
const FOLDERS = [
  ...["bin", "sbin", "lib", "lib64", "libexec", "share", "local/bin"].map((name) => `usr/${name}`),
  "proc",
  "dev",
  "etc",
  "tmp",
  "root",
  "home",
  "opt",
  "var/lib",
];

interface Entered {
  /** A number; without it the command runs as root. */
  readonly user?: number;
  readonly isReadOnly?: boolean;
  /** Folders that can be written all the same. */
  readonly data?: readonly string[];
  /** Empty folders in memory. */
  readonly memory?: readonly string[];
}

/** The words before a command that run it inside of a root folder. */
export function entering(folder: string, { user, isReadOnly, data = [], memory = [] }: Entered) {
  return [
    "unshare",
    "--mount",
    "sh",
    SCRIPT,
    folder,
    process.execPath,
    String(user ?? "root"),
    ...(isReadOnly === true ? ["read-only"] : []),
    ...data.map((path) => `data:${path}`),
    ...memory.map((path) => `memory:${path}`),
    "--",
  ];
}

/** An empty root folder with the users of a small system, to be filled and entered. */
export function makeRootFolder(users: Readonly<Record<string, number>>): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-root-"));
  chmodSync(folder, 0o755);
  for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true });
  for (const name of LINKS.filter((link) => existsSync(`/${link}`))) {
    symlinkSync(readlinkSync(`/${name}`), join(folder, name));
  }
  writeFileSync(join(folder, "usr/local/bin/node"), "");
  const all = Object.entries({ root: 0, ...users });
  const passwd = all.map(([name, id]) => `${name}:x:${id}:${id}::/home/${name}:/bin/sh\n`);
  writeFileSync(join(folder, "etc/passwd"), passwd.join(""));
  writeFileSync(join(folder, "etc/group"), all.map(([name, id]) => `${name}:x:${id}:\n`).join(""));
  writeFileSync(join(folder, "etc/hosts"), "127.0.0.1 localhost\n");
  return folder;
}

/** Why no root folder can be entered on this machine; undefined where it works. */
export function rootFolderProblem(): string | undefined {
  if (process.platform !== "linux") return "only Linux has mount namespaces";
  if (process.getuid?.() !== 0) return "only root can start a service as another user";
  const split = LINKS.find(
    (name) => existsSync(`/${name}`) && !lstatSync(`/${name}`).isSymbolicLink(),
  );
  if (split !== undefined) return `/${split} is not in /usr`;
  const { status, stderr } = spawnSync("unshare", ["--mount", "mount", "--make-rprivate", "/"]);
  return status === 0 ? undefined : `unshare --mount is not permitted: ${stderr}`;
}
