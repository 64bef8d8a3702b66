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

/**
 * A file name for a log, as far as file systems allow it. The content of the file says which log it
 * belongs to.
 */
function fileOf(chain: string, worker: number): string {
  const name = chain.replace(/[/:]/g, "_");
  const short = name.length > FILE_NAME_CHARS_MAX ? hash("sha256", chain) : name;
  return `${short}${worker === 1 ? "" : `.worker-${worker}`}${ENDING}`;
}

export interface KeptCheckpoint extends Checkpoint {
  readonly file: string;
  /** The signed text. */
  readonly note: string;
}

function readKept(file: string): KeptCheckpoint {
  const note = readTextFile(file, "The checkpoint file");
  // Only this installation writes these files, so the text counts. The signature is for other
  // readers.
  const read = readCheckpoint(note.slice(0, note.lastIndexOf("\n\n") + 1));
  if (read.ok) return { ...read.value, file, note };
  throw new StartupError(
    `The checkpoint file ${file} cannot be read. Restore a copy, or remove the file if you have none.`,
  );
}

/**
 * The last published checkpoint of every log, in files beside the database. An older database
 * cannot replace them, so it cannot hide what was published.
 */
export class KeptCheckpoints {
  private readonly folder: string;
  private readonly worker: number;
  private readonly kept = new Map<string, KeptCheckpoint>();
  private last: Promise<unknown> = Promise.resolve();

  /** Workers share the folder but not the files, so none replaces a newer checkpoint of another. */
  constructor(dataDir: string, worker = 1) {
    this.folder = join(dataDir, CHECKPOINTS_DIR);
    this.worker = worker;
  }

  /** Reads the largest stored checkpoint of every log: each worker has stored what it published itself. */
  read(): readonly KeptCheckpoint[] {
    if (!existsSync(this.folder)) return [];
    const files = readdirSync(this.folder).filter((name) => name.endsWith(ENDING));
    for (const name of files) {
      const one = readKept(join(this.folder, name));
      if (!this.isKept(one)) this.kept.set(one.origin, one);
    }
    return [...this.kept.values()];
  }

  /** The last checkpoint of a log. */
  of(chain: string): KeptCheckpoint | undefined {
    return this.kept.get(chain);
  }

  /** The highest epoch of a host that was ever stored here. */
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

  /** Stores a checkpoint durably. One that is not larger than the stored one changes nothing. */
  keep(checkpoint: Checkpoint, note: string): Promise<void> {
    if (this.isKept(checkpoint)) return Promise.resolve();
    const turn = this.last.then(() => this.write(checkpoint, note));
    this.last = turn.catch(() => undefined);
    // A checkpoint that cannot be stored must not be shown, so a full disk makes checkpoints
    // unavailable.
    return turn.catch((cause) => {
      throw new AuditUnavailableError("a checkpoint cannot be kept", { cause });
    });
  }

  private async write(checkpoint: Checkpoint, note: string): Promise<void> {
    if (this.isKept(checkpoint)) return;
    const path = join(this.folder, fileOf(checkpoint.origin, this.worker));
    // Another process may have stored a later one in this folder.
    const stored = existsSync(path) ? readKept(path) : undefined;
    if (stored !== undefined && !this.isKept(stored)) this.kept.set(checkpoint.origin, stored);
    if (this.isKept(checkpoint)) return;
    await replaceFile(path, note);
    this.kept.set(checkpoint.origin, { ...checkpoint, file: path, note });
  }
}
