import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { BackupFileError, damaged } from "./backup-error.js";

/** Longest line read: far more than any row, far less than memory. */
const LINE_CHARS_MAX = 8 * 1024 * 1024;

async function* chunksOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const unzipped = file.pipe(createGunzip()).setEncoding("utf8");
  file.on("error", (error) => unzipped.destroy(error));
  try {
    yield* unzipped as AsyncIterable<string>;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") {
      throw new BackupFileError(`The backup ${path} does not exist: check the path.`);
    }
    throw damaged(path, code === "Z_BUF_ERROR" ? "is cut short" : "is not a Gatehouse backup");
  }
}

/** The lines of a gzip file, none longer than a row can be. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunksOf(path)) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() as string;
    if (rest.length > LINE_CHARS_MAX) throw damaged(path, "is not a Gatehouse backup");
    yield* lines;
  }
  if (rest !== "") yield rest;
}
