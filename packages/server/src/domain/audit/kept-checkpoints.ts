import { hash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Checkpoint, readCheckpoint } from "@gatehouse/protocol";
import { replaceFile } from "../../infra/files/durable-file.js";
import { readTextFile } from "../../infra/files/private-file.js";
import { StartupError } from "../../startup-error.js";
import { AuditUnavailableError } from "./log.js";

const CHECKPOINTS_DIR = "checkpoints";
const ENDING = ".txt";

const FILE_NAME_CHARS_MAX = 200;

/** Names a file after a log, as far as file systems let it; the file itself says which log it is of. */
function fileOf(chain: string): string {
  const name = chain.replace(/[/:]/g, "_");
  const short = name.length > FILE_NAME_CHARS_MAX ? hash("sha256", chain) : name;
  return `${short}${ENDING}`;
}

export interface KeptCheckpoint extends Checkpoint {
  readonly file: string;
  /** As it was signed. */
  readonly note: string;
}

function readKept(file: string): KeptCheckpoint {
  const note = readTextFile(file, "The kept checkpoint");
  // Nobody but this installation writes here, so what counts is the text; the signature is for readers.
  const read = readCheckpoint(note.slice(0, note.lastIndexOf("\n\n") + 1));
  if (read.ok) return { ...read.value, file, note };
  throw new StartupError(
    `The kept checkpoint ${file} cannot be read: put back a copy, or remove the file if you have none.`,
  );
}

/**
 * The last checkpoint of every log that left this house, in files beside the database: whoever puts
 * an older database back cannot make it forget what was published.
 */
export class KeptCheckpoints {
  private readonly folder: string;
  private readonly kept = new Map<string, KeptCheckpoint>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string) {
    this.folder = join(dataDir, CHECKPOINTS_DIR);
  }

  /** Everything kept so far. */
  read(): readonly KeptCheckpoint[] {
    if (!existsSync(this.folder)) return [];
    const files = readdirSync(this.folder).filter((name) => name.endsWith(ENDING));
    const all = files.map((name) => readKept(join(this.folder, name)));
    for (const one of all) this.kept.set(one.origin, one);
    return all;
  }

  /** The last one of a log. */
  of(chain: string): KeptCheckpoint | undefined {
    return this.kept.get(chain);
  }

  /** Highest epoch of a host that was ever kept here. */
  epochOf(host: string): number {
    const prefix = `${host}/audit/`;
    const epochs = [...this.kept.keys()]
      .filter((chain) => chain.startsWith(prefix))
      .map((chain) => Number(chain.slice(prefix.length)));
    return Math.max(0, ...epochs.filter(Number.isSafeInteger));
  }

  private isKept({ origin, size }: Checkpoint): boolean {
    return (this.kept.get(origin)?.size ?? -1) >= size;
  }

  /** Durable before it returns; a smaller one than is kept already changes nothing. */
  keep(checkpoint: Checkpoint, note: string): Promise<void> {
    if (this.isKept(checkpoint)) return Promise.resolve();
    const turn = this.last.then(() => this.write(checkpoint, note));
    this.last = turn.catch(() => undefined);
    // What cannot be kept must not be shown: a full disk makes checkpoints unavailable.
    return turn.catch((cause) => {
      throw new AuditUnavailableError("a checkpoint cannot be kept", { cause });
    });
  }

  private async write(checkpoint: Checkpoint, note: string): Promise<void> {
    if (this.isKept(checkpoint)) return;
    const path = join(this.folder, fileOf(checkpoint.origin));
    // Another process in this folder may have kept a later one meanwhile.
    if (existsSync(path)) this.kept.set(checkpoint.origin, readKept(path));
    if (this.isKept(checkpoint)) return;
    await replaceFile(path, note);
    this.kept.set(checkpoint.origin, { ...checkpoint, file: path, note });
  }
}
