import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { StartupError } from "../../startup-error.js";

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
/** Keys, tokens and certificate chains are far smaller. */
const TEXT_BYTES_MAX = 1024 * 1024;

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

/** Errors of file systems without hard links. */
const NO_HARD_LINKS = new Set(["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP", "EMLINK"]);

function createDirectly(path: string, text: string): boolean {
  if (existsSync(path)) return false;
  const file = openSync(path, "wx", OWNER_ONLY);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  return true;
}

/**
 * Creates a file that only its owner can read, completely or not at all. Returns false if it exists, so that
 * two processes that start together agree on one file. A crash leaves at most a `.new` file beside it, which
 * nothing reads.
 */
export function createPrivateFile(path: string, text: string): boolean {
  const fresh = writeFresh(path, text);
  try {
    linkSync(fresh, path);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!NO_HARD_LINKS.has(code)) throw error;
    return createDirectly(path, text);
  } finally {
    rmSync(fresh);
  }
}

/** The text of a private file; undefined if it does not exist. Refuses a file that others can read. */
export function readPrivateFile(path: string, what: string): string | undefined {
  // If the folder does not exist either, the code that creates it reports the problem.
  if (!existsSync(path)) return undefined;
  const stats = statSync(path);
  if (process.platform !== "win32" && (stats.mode & OTHERS) !== 0) {
    throw new StartupError(
      `${what} at ${path} can be read by other users: run \`chmod 600 ${path}\`.`,
    );
  }
  return readTextFile(path, what);
}

/** The text of a file the operator named, of at most so many bytes. */
export function readTextFile(path: string, what: string, bytesMax = TEXT_BYTES_MAX): string {
  try {
    if (statSync(path).size > bytesMax) throw Object.assign(new Error(), { code: "EFBIG" });
    const file = openSync(path, "r");
    try {
      // Read by count, not to the end: a device has no end.
      const bytes = Buffer.alloc(Math.min(bytesMax, Math.max(TEXT_BYTES_MAX, statSync(path).size)));
      return bytes.toString("utf8", 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new StartupError(`${what} at ${path} ${why}: check the path and its permissions.`);
  }
}
