import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { StartupError } from "../../startup-error.js";

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

function writeFresh(path: string, text: string): string {
  const fresh = `${path}.${process.pid}.new`;
  const file = openSync(fresh, "w", OWNER_ONLY);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return fresh;
}

/**
 * Makes a file only its owner can read, whole or not at all, unless there is one: false then, and
 * the other stays. Two processes that start together thus agree on one file. A crash leaves at
 * most a `.new` file beside it, which nothing reads.
 */
export function createPrivateFile(path: string, text: string): boolean {
  const fresh = writeFresh(path, text);
  try {
    linkSync(fresh, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(fresh);
  }
}

/** The text of a private file; undefined when there is none. Refuses one that others can read. */
export function readPrivateFile(path: string, what: string): string | undefined {
  // A folder that is none yet has no file in it either; who makes the folder says what is wrong.
  if (!existsSync(path)) return undefined;
  const found = statSync(path);
  if (process.platform !== "win32" && (found.mode & OTHERS) !== 0) {
    throw new StartupError(`${what} at ${path} can be read by others: run \`chmod 600 ${path}\`.`);
  }
  return readTextFile(path, what);
}

/** The text of a file the operator named. */
export function readTextFile(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new StartupError(`${what} at ${path} ${why}: check the path and its permissions.`);
  }
}
