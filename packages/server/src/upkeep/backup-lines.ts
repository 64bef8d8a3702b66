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

/** Pieces of one line, put together once: a line that comes in many is not copied with each. */
class Line {
  private pieces: string[] = [];
  private chars = 0;

  /** Whether it is still no longer than a row can be. */
  add(piece: string): boolean {
    this.pieces.push(piece);
    this.chars += piece.length;
    return this.chars <= LINE_CHARS_MAX;
  }

  take(): string {
    const line = this.pieces.join("");
    this.pieces = [];
    this.chars = 0;
    return line;
  }
}

/** The lines of a gzip file, none longer than a row can be. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const line = new Line();
  for await (const chunk of chunksOf(path)) {
    const [first = "", ...others] = chunk.split("\n");
    let fits = line.add(first);
    for (const piece of others) {
      if (fits) yield line.take();
      fits &&= line.add(piece);
    }
    if (!fits) throw damaged(path, "is not a Gatehouse backup");
  }
  const rest = line.take();
  if (rest !== "") yield rest;
}
