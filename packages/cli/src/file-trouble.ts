import { CommandError, EXIT } from "./exit.js";

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "you do not have permission",
  EPERM: "you do not have permission",
  EROFS: "the file system is read-only",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  EEXIST: "it already exists",
  ENOSPC: "the disk is full",
};

/** What the system says of a file somebody named; undefined for any other error. */
export function fileTrouble(error: unknown): CommandError | undefined {
  const { code = "", path } = error as NodeJS.ErrnoException;
  if (typeof path !== "string" || !/^E[A-Z]+$/.test(code)) return undefined;
  const why = WORDS[code] ?? `the system reported ${code}`;
  const hint = "Check the path and its permissions, or use another path.";
  return new CommandError(`${path} cannot be used: ${why}.`, EXIT.failed, hint);
}
