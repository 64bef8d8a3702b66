import { createHash } from "node:crypto";
import { createWriteStream, existsSync, readFileSync } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PART_BYTES_MAX } from "@gatehouse/protocol";
import type { Database, Queries } from "../../../infra/db/database.js";
import { syncFolder } from "../../../infra/files/durable-file.js";
import { createPrivateFile } from "../../../infra/files/private-file.js";
import type { Ids } from "../../../infra/ids.js";
import { readFact, settleFact } from "../../../infra/installation/installation.js";
import { type ArchivePart, ArchiveUnavailableError, NotArchivedError } from "./part.js";

/** Holds the id of the archive. Moved together with the folder. */
const ID_FILE = "archive-id";
const DIGEST_CHARS = 16;

/** A file of the archive as it was written. */
export interface ArchiveFile {
  /** Path inside the folder. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * The folder of archived days. Every node of an installation must see the same folder: it has an id that
 * the database knows. A node that sees another folder archives nothing.
 */
export class ArchiveFolder {
  readonly path: string;
  private readonly ids: Pick<Ids, "uuid">;

  constructor(path: string, ids: Pick<Ids, "uuid">) {
    this.path = path;
    this.ids = ids;
  }

  private id(): string | undefined {
    const file = join(this.path, ID_FILE);
    return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  }

  /** What is wrong with the folder that this node sees; undefined if nothing is. */
  async fault(db: Queries): Promise<string | undefined> {
    const wanted = await readFact(db, "audit_archive_id");
    if (wanted === undefined || this.id() === wanted) return undefined;
    const is = existsSync(this.path)
      ? "is not the archive of this installation"
      : "does not exist here";
    return `the archive folder ${this.path} ${is}. Mount or copy it there, or set GATEHOUSE_AUDIT_ARCHIVE_DIR to its path`;
  }

  /** Makes the folder this installation's archive, unless it has one. The first archiving node wins. */
  async claim(db: Database): Promise<void> {
    if ((await readFact(db, "audit_archive_id")) === undefined) {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
      createPrivateFile(join(this.path, ID_FILE), `${this.ids.uuid()}\n`);
      await syncFolder(this.path);
      await settleFact(db, "audit_archive_id", this.id() as string);
    }
    const fault = await this.fault(db);
    if (fault !== undefined) throw new NotArchivedError(fault);
  }

  /**
   * Writes a file, durable before it returns. Its name ends with its digest, so no file is ever
   * replaced by another. A crash leaves at most a `.new` file, which nothing reads.
   */
  async write(name: string, chunks: AsyncIterable<string>): Promise<ArchiveFile> {
    const folder = dirname(join(this.path, name));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fresh = join(folder, `${basename(name)}.${this.ids.uuid()}.new`);
    const hash = createHash("sha256");
    let bytes = 0;
    async function* counted() {
      for await (const chunk of chunks) {
        const piece = Buffer.from(chunk, "utf8");
        hash.update(piece);
        bytes += piece.length;
        yield piece;
      }
    }
    try {
      await pipeline(
        Readable.from(counted()),
        createWriteStream(fresh, { mode: 0o600, flush: true }),
      );
      const sha256 = hash.digest("hex");
      const file = `${name}-${sha256.slice(0, DIGEST_CHARS)}.json`;
      await rename(fresh, join(this.path, file));
      await syncFolder(folder);
      await syncFolder(this.path);
      return { file, bytes, sha256 };
    } finally {
      await rm(fresh, { force: true });
    }
  }

  /** The bytes of a part; throws if they are not those that were archived. */
  async read(part: ArchivePart): Promise<Buffer> {
    const bytes = await this.bytesOf(part).catch((cause) => {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === undefined) throw cause;
      const why = code === "ENOENT" ? "is missing" : `cannot be read (${code})`;
      throw new ArchiveUnavailableError(part, why, { cause });
    });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if (sha256 !== part.sha256) throw new ArchiveUnavailableError(part, "is damaged");
    return bytes;
  }

  private async bytesOf(part: ArchivePart): Promise<Buffer> {
    const handle = await open(join(this.path, part.file), "r");
    try {
      const { size } = await handle.stat();
      if (size !== part.bytes || size > PART_BYTES_MAX) {
        throw new ArchiveUnavailableError(part, "is damaged: it has a different length");
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }

  /** Whether a part's file is there with its length, without reading it. */
  async fileFault({ file, bytes }: ArchivePart): Promise<string | undefined> {
    const stats = await stat(join(this.path, file)).catch(() => undefined);
    if (stats === undefined) return "is missing";
    return stats.size === bytes ? undefined : "is damaged: it has a different length";
  }
}
