import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Environment } from "../src/config/config.ts";
import { migrate } from "../src/infra/db/migrate.ts";
import { openSqlite } from "../src/infra/db/sqlite.ts";
import { FileHasher } from "../src/maintenance/backup-mac.ts";
import { dataTables } from "../src/maintenance/tables.ts";
import { temporaryFolder } from "./harness.ts";

/** The secrets key file of an installation that made its own. */
export function secretsKeyFile(env: Environment): string {
  return join(env.GATEHOUSE_DATA_DIR as string, "secrets.key");
}

/** What an operator says who knows the file from when it was made. */
export function byDigest(file: string) {
  const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
  return { unverified: true, sha256 };
}

/** The lines of a backup. */
export function linesIn(file: string): string[] {
  return gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
}

/** Bytes at the end of a backup that seal it. */
export const SEAL_BYTES = 97;

function sealOf(file: string): Buffer {
  return readFileSync(file).subarray(-SEAL_BYTES);
}

/**
 * Changes the rows of a backup and makes its end line fit again, as anybody can who knows the
 * format. The seal stays as it was, unless a key is given to make a new one.
 */
export function forge(
  file: string,
  change: (text: string) => string,
  { key, counts = {} }: { key?: string; counts?: Record<string, number> } = {},
): void {
  const seal = sealOf(file);
  const lines = linesIn(file);
  const rows = `${change(lines.slice(0, -1).join("\n"))}\n`;
  const { end } = JSON.parse(lines.at(-1) as string);
  Object.assign(end.rows, counts);
  end.sha256 = createHash("sha256").update(rows).digest("hex");
  const zipped = gzipSync(`${rows}${JSON.stringify({ end })}\n`);
  writeFileSync(file, Buffer.concat([zipped, key ? newSeal(zipped, key) : seal]));
}

/** Turns a backup into one of an older schema: without the tables and columns that came later. */
export async function ageBackup(file: string, version: number, key: string): Promise<void> {
  const db = openSqlite(join(temporaryFolder(), "older.db"));
  await migrate(db, { now: 0, upTo: version });
  const older = await dataTables(db, db.dialect);
  await db.close();
  const tables = new Map(older.map(({ name, columns }) => [name, new Set(columns)]));
  const counts: Record<string, number> = {};
  const ageLine = (text: string) => {
    const { header, table, row } = JSON.parse(text);
    if (header) return [JSON.stringify({ header: { ...header, schema_version: version } })];
    const columns = tables.get(table);
    if (columns === undefined) {
      counts[table] = 0;
      return [];
    }
    const known = Object.entries(row).filter(([name]) => columns.has(name));
    return [JSON.stringify({ table, row: Object.fromEntries(known) })];
  };
  forge(file, (text) => text.split("\n").flatMap(ageLine).join("\n"), { key, counts });
}

/** The seal that belongs to a gzip part, by the key in a file. */
export function newSeal(zipped: Uint8Array, keyFile: string): Buffer {
  const hasher = new FileHasher(Buffer.from(readFileSync(keyFile, "utf8").trim(), "base64url"));
  hasher.add(zipped);
  return hasher.seal().trailer;
}
