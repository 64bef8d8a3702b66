import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Config, type Environment, readConfig } from "../config/config.js";
import { systemClock } from "../platform/clock.js";
import type { Database } from "../platform/db/database.js";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../platform/db/migrate.js";
import { createPrivateFile } from "../platform/files/private-file.js";
import { systemIds } from "../platform/ids.js";
import { readFact } from "../platform/installation/installation.js";
import { openDatabase, openDataDir, sqlitePath } from "../platform/installation/open.js";
import { createLog } from "../platform/log/log.js";
import { createSecrets } from "../platform/secrets/secrets.js";
import { findSecretsKey, SECRETS_KEY_FILE } from "../platform/secrets/secrets-key.js";
import { StartupError } from "../startup-error.js";
import { BackupFileError, type BackupHeader, backupRows, checkBackup } from "./backup-file.js";
import { dataTables, fitsTable, insertRow } from "./tables.js";

export interface RestoreReport {
  readonly rows: number;
  readonly createdAt: string;
  readonly secretsKey: "restored" | "kept" | "missing";
}

/** A restore never overwrites: the target must hold no installation. */
async function refuseOccupied(db: Database): Promise<void> {
  if ((await schemaVersion(db)) === 0) return;
  if ((await readFact(db, "secrets_key_id")) === undefined) return;
  throw new StartupError(
    "There is an installation here already: restore into an empty data folder or database.",
  );
}

function refuseNewerBackup({ schema_version, build }: BackupHeader): void {
  if (schema_version <= SCHEMA_VERSION) return;
  throw new BackupFileError(
    `The backup was made by a newer Gatehouse (${build}): restore it with that version or later.`,
  );
}

async function restoreRows(db: Database, file: string, header: BackupHeader): Promise<number> {
  const now = systemClock.now();
  await migrate(db, { now, upTo: header.schema_version });
  const rows = await db.transaction(async (tx) => {
    const tables = new Map((await dataTables(tx, db.dialect)).map((table) => [table.name, table]));
    let count = 0;
    for await (const { table: name, row } of backupRows(file)) {
      const table = tables.get(name);
      if (table === undefined || !fitsTable(table, row)) {
        throw new BackupFileError(
          "The backup holds a table or column that its schema does not have.",
        );
      }
      await insertRow(tx, table, row);
      count++;
    }
    return count;
  });
  await migrate(db, { now });
  return rows;
}

/** Puts the secrets key where the next start finds it, unless the operator provides it. */
async function restoreSecretsKey(
  config: Config,
  db: Database,
  header: BackupHeader,
): Promise<RestoreReport["secretsKey"]> {
  const provided = findSecretsKey(config);
  if (provided === undefined && header.secrets_key === null) return "missing";
  if (provided === undefined) {
    createPrivateFile(join(config.dataDir, SECRETS_KEY_FILE), `${header.secrets_key}\n`);
    return "restored";
  }
  if (createSecrets(provided).keyId === (await readFact(db, "secrets_key_id"))) return "kept";
  throw new StartupError("The secrets key here is not the one the backup was sealed with.");
}

/** Checks the whole backup, then fills an empty installation from it. */
export async function restore(env: Environment, file: string): Promise<RestoreReport> {
  const config = readConfig(env);
  const header = await checkBackup(file);
  refuseNewerBackup(header);
  openDataDir(config.dataDir);
  const ownFile = config.databaseUrl === undefined && !existsSync(sqlitePath(config));
  const log = createLog("warn");
  const db = await openDatabase(config, { ids: systemIds, log });
  try {
    await refuseOccupied(db);
    const rows = await restoreRows(db, file, header);
    const secretsKey = await restoreSecretsKey(config, db, header);
    await db.close();
    return { rows, createdAt: header.created_at, secretsKey };
  } catch (error) {
    await db.close();
    // Only what this restore made is taken away again.
    if (ownFile) {
      for (const suffix of ["", "-wal", "-shm"])
        rmSync(sqlitePath(config) + suffix, { force: true });
    }
    throw error;
  }
}
