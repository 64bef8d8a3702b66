import { existsSync, readdirSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { type Checkpoint, readCheckpoint } from "@gatehouse/protocol";
import { readTextFile } from "../../platform/files/private-file.js";
import { StartupError } from "../../startup-error.js";
import { AuditUnavailableError } from "./log.js";

const CHECKPOINTS_DIR = "checkpoints";
const ENDING = ".txt";

/** Names a file after a log; a domain has none of these characters but the colon of a port. */
const fileOf = (chain: string) => `${chain.replace(/[/:]/g, "_")}${ENDING}`;

export interface KeptCheckpoint extends Checkpoint {
  readonly file: string;
}

function readKept(file: string): KeptCheckpoint {
  const note = readTextFile(file, "The kept checkpoint");
  // Nobody but this installation writes here, so what counts is the text; the signature is for readers.
  const read = readCheckpoint(note.slice(0, note.lastIndexOf("\n\n") + 1));
  if (read.ok) return { ...read.value, file };
  throw new StartupError(
    `The kept checkpoint ${file} cannot be read: put back a copy, or, if there is none, take it away.`,
  );
}

/**
 * The last checkpoint of every log that left this house, in files beside the database: whoever puts
 * an older database back cannot make it forget what was published.
 */
export class KeptCheckpoints {
  private readonly folder: string;
  private readonly kept = new Map<string, number>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string) {
    this.folder = join(dataDir, CHECKPOINTS_DIR);
  }

  /** Everything kept so far. */
  read(): readonly KeptCheckpoint[] {
    if (!existsSync(this.folder)) return [];
    const files = readdirSync(this.folder).filter((name) => name.endsWith(ENDING));
    const all = files.map((name) => readKept(join(this.folder, name)));
    for (const { origin, size } of all) this.kept.set(origin, size);
    return all;
  }

  /** Highest epoch of a host that was ever kept here. */
  epochOf(host: string): number {
    const prefix = `${host}/audit/`;
    const epochs = [...this.kept.keys()]
      .filter((chain) => chain.startsWith(prefix))
      .map((chain) => Number(chain.slice(prefix.length)));
    return Math.max(0, ...epochs.filter(Number.isSafeInteger));
  }

  /** Durable before it returns; a smaller one than is kept already changes nothing. */
  keep(chain: string, size: number, note: string): Promise<void> {
    if ((this.kept.get(chain) ?? -1) >= size) return Promise.resolve();
    const turn = this.last.then(() => this.write(chain, size, note));
    this.last = turn.catch(() => undefined);
    // What cannot be kept must not be shown: a full disk makes checkpoints unavailable.
    return turn.catch((cause) => {
      throw new AuditUnavailableError("a checkpoint cannot be kept", { cause });
    });
  }

  /** A crash leaves the file of before, or a `.new` beside it that nothing reads. */
  private async write(chain: string, size: number, note: string): Promise<void> {
    if ((this.kept.get(chain) ?? -1) >= size) return;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, fileOf(chain));
    const fresh = `${path}.${process.pid}.new`;
    const file = await open(fresh, "w", 0o600);
    try {
      await file.writeFile(note);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
    this.kept.set(chain, size);
  }
}
