import { createWriteStream, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { expect, test } from "vitest";
import { linesOf } from "../src/maintenance/backup-lines.ts";
import { temporaryFolder } from "./harness.ts";

const MB = 1024 * 1024;

async function zipped(pieces: Iterable<string>): Promise<string> {
  const path = join(temporaryFolder(), "lines.gz");
  await pipeline(Readable.from(pieces), createGzip({ level: 1 }), createWriteStream(path));
  return path;
}

const whole = (path: string) => ({ gzipBytes: statSync(path).size, onBytes: () => {} });

async function readBack(path: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(path, whole(path))) lines.push(line);
  return lines;
}

test("a small backup with very long lines is read fast, without copying again for every chunk", {
  timeout: 30_000,
}, async () => {
  function* pieces() {
    for (let line = 0; line < 24; line++) {
      for (let part = 0; part < 8; part++) yield "x".repeat(MB);
      yield "\n";
    }
  }
  const path = await zipped(pieces());
  let read = 0;
  for await (const line of linesOf(path, whole(path))) {
    expect(line.length).toBe(8 * MB);
    read++;
  }
  expect(read).toBe(24);
});

test("lines are complete wherever a chunk of the file ends, including a last one without a line break", async () => {
  const lines = ["", "a", "ä€\u{1f339}".repeat(9000), "", "b".repeat(100_000), "c\r", "last"];
  expect(await readBack(await zipped([lines.join("\n")]))).toEqual(lines);
  expect(await readBack(await zipped(["a\n"]))).toEqual(["a"]);
});

test("a line longer than any row is refused, whether it ends or not", async () => {
  const long = "x".repeat(8 * MB + 1);
  for (const end of ["", "\n", "\nmore\n"]) {
    await expect(readBack(await zipped([`first\n${long}${end}`]))).rejects.toThrow(
      /has been changed or damaged/,
    );
  }
});
