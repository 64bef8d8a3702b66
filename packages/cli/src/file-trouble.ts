import { CommandError, EXIT } from "./exit.js";

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "you may not use it",
  EPERM: "you may not use it",
  EROFS: "nothing can be written there",
  ENOENT: "it is not there",
  ENOTDIR: "a part of the path is no folder",
  EISDIR: "it is a folder",
  EEXIST: "it is there already",
  ENOSPC: "the disk is full",
};

/** What the system says of a file somebody named; undefined for any other error. */
export function fileTrouble(error: unknown): CommandError | undefined {
  const { code = "", path } = error as NodeJS.ErrnoException;
  if (typeof path !== "string" || !/^E[A-Z]+$/.test(code)) return undefined;
  const why = WORDS[code] ?? `the system says ${code}`;
  const hint = "Check the path and who may use it, or name another.";
  return new CommandError(`${path} cannot be used: ${why}.`, EXIT.failed, hint);
}
