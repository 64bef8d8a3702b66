import { KeyObject, verify } from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** What is used of an open file. */
function fileHandle(file: number) {
  return {
    writeFile: async (text: string) => fs.writeFileSync(file, text),
    sync: async () => {},
    close: async () => fs.closeSync(file),
  };
}

/**
 * Node hands the work with files and signatures to threads, which end in any order. A run of a seed must not
 * depend on that, so in the process of a simulation all of it is done at once. Call it before anything is
 * opened, and only in a process of its own.
 */
export function doAtOnce(): void {
  crypto.subtle.verify = async (_algorithm, key, signature, data) =>
    verify(
      "sha256",
      data as Uint8Array,
      { key: KeyObject.from(key as never), dsaEncoding: "ieee-p1363" },
      signature as Uint8Array,
    );
  Object.assign(fs.promises, {
    mkdir: async (...args: Parameters<typeof fs.mkdirSync>) => fs.mkdirSync(...args),
    rename: async (from: string, to: string) => fs.renameSync(from, to),
    open: async (...args: Parameters<typeof fs.openSync>) => fileHandle(fs.openSync(...args)),
  });
  syncBuiltinESMExports();
}
