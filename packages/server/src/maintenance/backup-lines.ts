import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

/** Longest line read: far more than any row, far less than memory. */
const LINE_CHARS_MAX = 8 * 1024 * 1024;

/** The first bytes of every gzip file. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Which bytes of a file to read, and a function that is called with them. */
export interface Reading {
  /** Where the gzip part ends. */
  readonly gzipBytes: number;
  onBytes(bytes: Uint8Array): void;
}

async function* chunksOf(path: string, { gzipBytes, onBytes }: Reading): AsyncGenerator<string> {
  let start: Buffer | undefined;
  async function* watched(bytes: AsyncIterable<Buffer>) {
    for await (const chunk of bytes) {
      start ??= chunk.subarray(0, GZIP_MAGIC.length);
      onBytes(chunk);
      yield chunk;
    }
  }
  const file = createReadStream(path, { end: Math.max(0, gzipBytes - 1) });
  const unzipped = pipeline(file, watched, createGunzip(), () => {}).setEncoding("utf8");
  try {
    yield* unzipped as AsyncIterable<string>;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "Z_BUF_ERROR") throw damaged(path, "is incomplete");
    throw damaged(path, start?.equals(GZIP_MAGIC) === true ? CHANGED : NO_BACKUP);
  }
}

/** The pieces of one line, joined once at its end. */
class Line {
  private pieces: string[] = [];
  private chars = 0;

  /** False if it is longer than a row can be. */
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
export async function* linesOf(path: string, reading: Reading): AsyncGenerator<string> {
  const line = new Line();
  for await (const chunk of chunksOf(path, reading)) {
    const [first = "", ...others] = chunk.split("\n");
    let fits = line.add(first);
    for (const piece of others) {
      if (fits) yield line.take();
      fits &&= line.add(piece);
    }
    if (!fits) throw damaged(path, CHANGED);
  }
  const rest = line.take();
  if (rest !== "") yield rest;
}

/** A backup file that cannot be written or used. The installation itself may be fine. */
export class BackupFileError extends Error {
  override readonly name = "BackupFileError";
}

export const NO_BACKUP = "is not a Gatehouse backup";
export const CHANGED = "has been changed or damaged";

export function damaged(path: string, why: string): BackupFileError {
  return new BackupFileError(`The backup ${path} ${why}. Use another backup.`);
}
