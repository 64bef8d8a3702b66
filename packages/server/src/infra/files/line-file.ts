import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Text collected before it is written. */
const BUFFER_CHARS = 64 * 1024;

/**
 * A private file of lines that do not fit into memory, for the time of one task. A crash leaves it behind, and the
 * next task with the same path writes over it.
 */
export class LineFile {
  private readonly path: string;
  private readonly file: FileHandle;
  private buffer = "";
  count = 0;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.file = file;
  }

  static async create(path: string): Promise<LineFile> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new LineFile(path, await open(path, "w", 0o600));
  }

  async add(line: string): Promise<void> {
    this.buffer += `${line}\n`;
    this.count++;
    if (this.buffer.length >= BUFFER_CHARS) await this.flush();
  }

  private async flush(): Promise<void> {
    const text = this.buffer;
    this.buffer = "";
    await this.file.appendFile(text);
  }

  /** All lines so far, as bytes. */
  async *read(): AsyncGenerator<Uint8Array> {
    await this.flush();
    for await (const piece of createReadStream(this.path)) yield piece as Buffer;
  }

  async remove(): Promise<void> {
    await this.file.close();
    await rm(this.path, { force: true });
  }
}
