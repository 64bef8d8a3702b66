import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { toBase64url } from "@gatehouse/protocol";
import { type Environment, readConfig } from "../config/config.js";
import { isoTime, systemClock } from "../infra/clock.js";
import type { Queries } from "../infra/db/database.js";
import { refuseNewerSchema, schemaVersion } from "../infra/db/migrate.js";
import { systemIds } from "../infra/ids.js";
import { readFact } from "../infra/installation/installation.js";
import { installationExists, openDatabase } from "../infra/installation/open.js";
import { createLog } from "../infra/log/log.js";
import { createSecrets } from "../infra/secrets/secrets.js";
import { findSecretsKey } from "../infra/secrets/secrets-key.js";
import { StartupError } from "../startup-error.js";
import { VERSION } from "../version.js";
import { BACKUP_FORMAT, type BackupHeader, encodeRow, PROGRESS_EVERY_ROWS } from "./backup-file.js";
import { BackupFileError } from "./backup-lines.js";
import { FileHasher } from "./backup-mac.js";
import { dataTables, rowsOf } from "./tables.js";

export interface BackupOptions {
  /** Where the file goes; by default a dated name in the current folder. */
  readonly out?: string | undefined;
  /** Leaves the secrets key out: the restore then needs it from elsewhere. */
  readonly withoutSecretsKey?: boolean | undefined;
  onRows?(rows: number): void;
}

export interface BackupReport {
  readonly file: string;
  readonly rows: number;
  readonly tables: number;
  readonly secretsKey: boolean;
  /** SHA-256 of the whole file, which an unverified restore needs. */
  readonly sha256: string;
  /** Files of the audit archive, which are not in the backup. */
  readonly archiveFiles: number;
}

/** The key that seals the backup. It must be the key of the database, or no restore could verify it. */
async function sealingKey(db: Queries, key: Uint8Array | undefined): Promise<Uint8Array> {
  const sealedBy = await readFact(db, "secrets_key_id");
  if (key !== undefined && createSecrets(key).keyId === sealedBy) return key;
  throw new StartupError(
    "A backup needs the secrets key of its installation, and this key is missing. Set " +
      "GATEHOUSE_SECRETS_KEY (or _FILE) as for the service, then back up again.",
  );
}

/** Copies a running or stopped installation, consistent as of one moment, into one private file. */
export async function backup(env: Environment, options: BackupOptions): Promise<BackupReport> {
  const config = readConfig(env);
  if (!installationExists(config)) {
    throw new StartupError(
      `There is no installation in ${config.dataDir}. Set GATEHOUSE_DATA_DIR to its data folder.`,
    );
  }
  const secretsKey = findSecretsKey(config);
  const now = systemClock.now();
  const stamp = isoTime(now).slice(0, 19).replace(/[:T]/g, "-");
  const file = options.out ?? join(process.cwd(), `gatehouse-backup-${stamp}.ndjson.gz`);
  if (existsSync(file)) {
    throw new BackupFileError(`${file} already exists. Choose another file with --out.`);
  }
  const log = createLog("warn");
  const db = await openDatabase(config, { ids: systemIds, log });
  try {
    await refuseNewerSchema(db);
    const key = await sealingKey(db, secretsKey);
    // A key that the operator keeps elsewhere is not written into the backup.
    const carried = config.secretsKey === undefined && options.withoutSecretsKey !== true;
    return await db.snapshot(async (reader) => {
      const header: BackupHeader = {
        format: BACKUP_FORMAT,
        build: VERSION,
        schema_version: await schemaVersion({ get: reader.get.bind(reader), dialect: db.dialect }),
        created_at: isoTime(now),
        secrets_key: carried ? toBase64url(key) : null,
      };
      const tables = await dataTables(reader, db.dialect);
      const counts: Record<string, number> = {};
      let rows = 0;
      async function* lines() {
        yield { header };
        for (const table of tables) {
          for await (const row of rowsOf(reader, table)) {
            counts[table.name] = (counts[table.name] ?? 0) + 1;
            rows++;
            if (rows % PROGRESS_EVERY_ROWS === 0) options.onRows?.(rows);
            yield { table: table.name, row: encodeRow(row) };
          }
        }
      }
      const sha256 = await writeBackup(file, lines(), () => counts, key);
      options.onRows?.(rows);
      const archiveFiles = counts.audit_archives ?? 0;
      return { file, rows, tables: tables.length, secretsKey: carried, sha256, archiveFiles };
    });
  } finally {
    await db.close();
  }
}

/**
 * Writes a `.partial` file and links it to its final name when it is complete. A crash leaves only the
 * `.partial`. Returns the SHA-256 of the file.
 */
async function writeBackup(
  file: string,
  lines: AsyncIterable<object>,
  counts: () => Record<string, number>,
  secretsKey: Uint8Array,
): Promise<string> {
  const partial = `${file}.${process.pid}.partial`;
  async function* text() {
    const hash = createHash("sha256");
    for await (const line of lines) {
      const json = `${JSON.stringify(line)}\n`;
      hash.update(json);
      yield json;
    }
    yield `${JSON.stringify({ end: { rows: counts(), sha256: hash.digest("hex") } })}\n`;
  }
  const hasher = new FileHasher(secretsKey);
  let sha256 = "";
  async function* sealed(zipped: AsyncIterable<Buffer>) {
    for await (const bytes of zipped) {
      hasher.add(bytes);
      yield bytes;
    }
    const seal = hasher.seal();
    sha256 = seal.sha256;
    yield seal.trailer;
  }
  try {
    // A leftover of somebody else could be readable for others: only a file we made is used.
    await rm(partial, { force: true });
    const written = createWriteStream(partial, { flags: "wx", mode: 0o600 });
    await pipeline(text(), createGzip(), sealed, written);
    const handle = await open(partial, "r+");
    await handle.sync();
    await handle.close();
    // Unlike a rename, a link never replaces a file that appeared meanwhile.
    await link(partial, file);
    await rm(partial);
    return sha256;
  } catch (error) {
    await rm(partial, { force: true });
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new BackupFileError(
      `The backup could not be written to ${file} (${code}). Choose another file with --out.`,
    );
  }
}
