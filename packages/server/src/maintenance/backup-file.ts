import { createHash } from "node:crypto";
import { z } from "zod";
import { BackupFileError, CHANGED, damaged, linesOf, NO_BACKUP } from "./backup-lines.js";
import { type BackupEnds, type FileDigests, FileHasher, macHolds, readEnds } from "./backup-mac.js";
import type { Row } from "./tables.js";

/**
 * A backup is gzip over lines of JSON: a header, one line per row, and an end line with the row
 * counts and the SHA-256 of every line before it. An HMAC of the file's bytes follows.
 * It holds rows, not a database file, so that a backup of SQLite restores into PostgreSQL and the
 * other way round.
 */
export const BACKUP_FORMAT = "gatehouse-backup/2";
/** The format before backups had an HMAC; otherwise the same. */
const BACKUP_FORMAT_1 = "gatehouse-backup/1";

const Header = z.object({
  format: z.enum([BACKUP_FORMAT, BACKUP_FORMAT_1]),
  build: z.string().max(64),
  schema_version: z.int().min(1),
  created_at: z.iso.datetime(),
  /** The secrets key, unless the operator configured it. Anybody who has it can sign as the site. */
  secrets_key: z.string().length(43).nullable(),
});

export type BackupHeader = z.infer<typeof Header>;

/** Bytes are written as `{"$bytes": base64}`; every other value is JSON already. */
const Value = z.union([z.string(), z.number(), z.null(), z.strictObject({ $bytes: z.base64() })]);

const End = z.strictObject({ rows: z.record(z.string(), z.int()), sha256: z.string() });

const Line = z.union([
  z
    .strictObject({ table: z.string(), row: z.record(z.string(), Value) })
    .transform((line) => ({ kind: "row" as const, ...line })),
  z
    .strictObject({ header: Header })
    .transform(({ header }) => ({ kind: "header" as const, header })),
  z.strictObject({ end: End }).transform(({ end }) => ({ kind: "end" as const, end })),
]);

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

function decodeRow(row: Readonly<Record<string, z.infer<typeof Value>>>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null ? Buffer.from(value.$bytes, "base64") : value,
    ]),
  );
}

function parseLine(path: string, text: string, otherwise = CHANGED): z.infer<typeof Line> {
  try {
    return Line.parse(JSON.parse(text));
  } catch {
    throw damaged(path, otherwise);
  }
}

function sorted(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Progress is reported once per this many rows. */
export const PROGRESS_EVERY_ROWS = 1000;

export interface CheckedBackup {
  readonly header: BackupHeader;
  /** Id of the secrets key that sealed the rows. */
  readonly sealedBy: string | undefined;
  readonly rows: number;
  readonly ends: BackupEnds;
  /** SHA-256 of the whole file. */
  readonly sha256: string;
  /**
   * Whether the file is the one that an installation with the given key wrote. `unsigned`: a file
   * from before backups had an HMAC. `no_key`: nobody gave a key to check it with.
   */
  readonly mac: "holds" | "differs" | "unsigned" | "no_key";
}

/** The content of a backup's lines, after all of them were read. */
interface CheckedLines extends Pick<CheckedBackup, "header" | "sealedBy" | "rows"> {
  readonly digests: FileDigests;
}

async function ends(path: string): Promise<BackupEnds> {
  try {
    return await readEnds(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new BackupFileError(
      code === "ENOENT"
        ? `The backup ${path} does not exist. Check the path.`
        : `The backup ${path} cannot be read (${code}). Check the path and its permissions.`,
    );
  }
}

async function checkLines(
  path: string,
  { gzipBytes, trailer }: BackupEnds,
  hasher: FileHasher,
  onChecked: ((rows: number) => void) | undefined,
): Promise<CheckedLines> {
  const hash = createHash("sha256");
  const counts: Record<string, number> = {};
  let rows = 0;
  let header: BackupHeader | undefined;
  let sealedBy: string | undefined;
  let end: z.infer<typeof End> | undefined;
  const reading = { gzipBytes, onBytes: (bytes: Uint8Array) => hasher.add(bytes) };
  for await (const text of linesOf(path, reading)) {
    const line = parseLine(path, text, header === undefined ? NO_BACKUP : CHANGED);
    if (end !== undefined) throw damaged(path, "continues after its end");
    if (line.kind === "end") {
      end = line.end;
      continue;
    }
    hash.update(`${text}\n`);
    if (line.kind === "header") {
      header = line.header;
      continue;
    }
    counts[line.table] = (counts[line.table] ?? 0) + 1;
    if (++rows % PROGRESS_EVERY_ROWS === 0) onChecked?.(rows);
    if (line.table === "installation" && line.row.name === "secrets_key_id") {
      sealedBy = String(line.row.value);
    }
  }
  if (header === undefined) throw damaged(path, NO_BACKUP);
  if (end === undefined) throw damaged(path, "is incomplete");
  if (sorted(end.rows) !== sorted(counts) || end.sha256 !== hash.digest("hex")) {
    throw damaged(path, CHANGED);
  }
  onChecked?.(rows);
  return { header, sealedBy, rows, digests: hasher.end(trailer) };
}

/**
 * Reads a whole backup before anything is written, so that no backup is restored in part. With a secrets
 * key from outside the file, it also checks that nobody without that key wrote the file.
 */
export async function checkBackup(
  path: string,
  secretsKey: Uint8Array | undefined,
  onChecked?: (rows: number) => void,
): Promise<CheckedBackup> {
  const fileEnds = await ends(path);
  const { digests, ...lines } = await checkLines(
    path,
    fileEnds,
    new FileHasher(secretsKey),
    onChecked,
  );
  const unsigned = lines.header.format === BACKUP_FORMAT_1;
  // A file whose HMAC was cut off must not pass for a file that never had one.
  if (unsigned !== (fileEnds.trailer === "")) throw damaged(path, CHANGED);
  const checked = { ...lines, ends: fileEnds, sha256: digests.sha256 };
  if (unsigned) return { ...checked, mac: "unsigned" };
  if (digests.mac === undefined) return { ...checked, mac: "no_key" };
  return { ...checked, mac: macHolds(fileEnds.trailer, digests.mac) ? "holds" : "differs" };
}

/**
 * The rows of a backup that {@link checkBackup} accepted. Throws after the last row if the file is not the
 * one that was checked, so the caller must write the rows in a transaction.
 */
export async function* backupRows(
  path: string,
  { ends: { gzipBytes, trailer }, sha256 }: CheckedBackup,
): AsyncGenerator<{ table: string; row: Row }> {
  const hasher = new FileHasher(undefined);
  const reading = { gzipBytes, onBytes: (bytes: Uint8Array) => hasher.add(bytes) };
  for await (const text of linesOf(path, reading)) {
    const line = parseLine(path, text);
    if (line.kind === "row") yield { table: line.table, row: decodeRow(line.row) };
  }
  if (hasher.end(trailer).sha256 !== sha256) throw damaged(path, "changed during the restore");
}
