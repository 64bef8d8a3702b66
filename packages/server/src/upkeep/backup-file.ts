import { createHash } from "node:crypto";
import { z } from "zod";
import { damaged } from "./backup-error.js";
import { linesOf } from "./backup-lines.js";
import type { Row } from "./tables.js";

/**
 * A backup is gzip over lines of JSON: a header, one line per row, and an end line with the row
 * counts and the SHA-256 of every line before it. It holds rows, not a database file, so that a
 * backup of SQLite restores into PostgreSQL and the other way round.
 */
export const BACKUP_FORMAT = "gatehouse-backup/1";

const Header = z.object({
  format: z.literal(BACKUP_FORMAT),
  build: z.string().max(64),
  schema_version: z.int().min(1),
  created_at: z.iso.datetime(),
  /** The installation's secrets key, when Gatehouse keeps it; whoever has it can sign as the site. */
  secrets_key: z.string().length(43).nullable(),
});

export type BackupHeader = z.infer<typeof Header>;

/** Bytes travel as `{"$bytes": base64}`; every other value is JSON already. */
const Value = z.union([z.string(), z.number(), z.null(), z.strictObject({ $bytes: z.base64() })]);

const Line = z.union([
  z.strictObject({ table: z.string(), row: z.record(z.string(), Value) }),
  z.strictObject({ header: Header }),
  z.strictObject({
    end: z.strictObject({ rows: z.record(z.string(), z.int()), sha256: z.string() }),
  }),
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

function parseLine(path: string, text: string): z.infer<typeof Line> {
  try {
    return Line.parse(JSON.parse(text));
  } catch {
    throw damaged(path, "is not a Gatehouse backup");
  }
}

function sorted(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** How often whoever waits is told of rows: seldom enough to cost nothing. */
export const TOLD_EVERY_ROWS = 1000;

export interface CheckedBackup {
  readonly header: BackupHeader;
  /** Id of the secrets key that sealed the rows. */
  readonly sealedBy: string | undefined;
  readonly rows: number;
}

/** Reads a backup from end to end before anything is written, so that none restores by half. */
export async function checkBackup(
  path: string,
  onChecked?: (rows: number) => void,
): Promise<CheckedBackup> {
  const hash = createHash("sha256");
  const counts: Record<string, number> = {};
  let rows = 0;
  let header: BackupHeader | undefined;
  let sealedBy: string | undefined;
  let end: { rows: Record<string, number>; sha256: string } | undefined;
  for await (const text of linesOf(path)) {
    const line = parseLine(path, text);
    if (end !== undefined) throw damaged(path, "goes on after its end");
    if ("end" in line) {
      end = line.end;
      continue;
    }
    hash.update(`${text}\n`);
    if ("header" in line) {
      header = line.header;
      continue;
    }
    counts[line.table] = (counts[line.table] ?? 0) + 1;
    if (++rows % TOLD_EVERY_ROWS === 0) onChecked?.(rows);
    if (line.table === "installation" && line.row.name === "secrets_key_id") {
      sealedBy = String(line.row.value);
    }
  }
  if (header === undefined) throw damaged(path, "is not a Gatehouse backup");
  if (end === undefined) throw damaged(path, "is cut short");
  if (sorted(end.rows) !== sorted(counts) || end.sha256 !== hash.digest("hex")) {
    throw damaged(path, "has been changed or damaged");
  }
  onChecked?.(rows);
  return { header, sealedBy, rows };
}

/** The rows of a backup that {@link checkBackup} accepted. */
export async function* backupRows(path: string): AsyncGenerator<{ table: string; row: Row }> {
  for await (const text of linesOf(path)) {
    const line = parseLine(path, text);
    if ("row" in line) yield { table: line.table, row: decodeRow(line.row) };
  }
}
