import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import type { Row } from "./tables.js";

/**
 * A backup is gzip over lines of JSON: a header, one line per row, and an end line with the row
 * counts and the SHA-256 of every line before it. It holds rows, not a database file, so that a
 * backup of SQLite restores into PostgreSQL and the other way round.
 */
export const BACKUP_FORMAT = "gatehouse-backup/1";

export interface BackupHeader {
  readonly format: typeof BACKUP_FORMAT;
  readonly build: string;
  readonly schema_version: number;
  readonly created_at: string;
  /** The installation's secrets key, when Gatehouse keeps it; whoever has it can sign as the site. */
  readonly secrets_key: string | null;
}

interface BackupEnd {
  readonly rows: Readonly<Record<string, number>>;
  readonly sha256: string;
}

type Line =
  | { readonly header: BackupHeader }
  | { readonly table: string; readonly row: Readonly<Record<string, unknown>> }
  | { readonly end: BackupEnd };

/** Bytes travel as `{"$bytes": base64}`; every other value is JSON already. */
export function encodeRow(row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array || (value as unknown) instanceof ArrayBuffer
        ? { $bytes: Buffer.from(value as Uint8Array).toString("base64") }
        : value,
    ]),
  );
}

function decodeRow(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null
        ? Buffer.from((value as { $bytes: string }).$bytes, "base64")
        : value,
    ]),
  ) as Row;
}

/** A backup file that cannot be written or used; the installation itself may be well. */
export class BackupFileError extends Error {
  override readonly name = "BackupFileError";
}

function damaged(path: string, why: string): BackupFileError {
  return new BackupFileError(`The backup ${path} ${why}: use another one.`);
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const unzipped = file.pipe(createGunzip());
  file.on("error", (error) => unzipped.destroy(error));
  try {
    yield* createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") {
      throw new BackupFileError(`The backup ${path} does not exist: check the path.`);
    }
    throw damaged(path, code === "Z_BUF_ERROR" ? "is cut short" : "is not a Gatehouse backup");
  }
}

/** Reads a backup from end to end before anything is written, so that none restores by half. */
export async function checkBackup(path: string): Promise<BackupHeader> {
  const hash = createHash("sha256");
  const counts: Record<string, number> = {};
  let header: BackupHeader | undefined;
  let end: BackupEnd | undefined;
  for await (const text of linesOf(path)) {
    const line = parseLine(path, text);
    if (end !== undefined) throw damaged(path, "goes on after its end");
    if ("end" in line) {
      end = line.end;
      continue;
    }
    hash.update(`${text}\n`);
    if ("header" in line) header = line.header;
    else counts[line.table] = (counts[line.table] ?? 0) + 1;
  }
  if (header?.format !== BACKUP_FORMAT) throw damaged(path, "is not a Gatehouse backup");
  if (end === undefined) throw damaged(path, "is cut short");
  const same = JSON.stringify(sorted(end.rows)) === JSON.stringify(sorted(counts));
  if (!same || end.sha256 !== hash.digest("hex"))
    throw damaged(path, "has been changed or damaged");
  return header;
}

function sorted(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function parseLine(path: string, text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    throw damaged(path, "is not a Gatehouse backup");
  }
}

/** The rows of a backup that {@link checkBackup} accepted. */
export async function* backupRows(path: string): AsyncGenerator<{ table: string; row: Row }> {
  for await (const text of linesOf(path)) {
    const line = parseLine(path, text);
    if ("row" in line) yield { table: line.table, row: decodeRow(line.row) };
  }
}
