import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fromBase64url, toBase64url } from "@gatehouse/protocol";
import { applyRevocations, knownRevocations } from "../actions/installation/apply-revocations.js";
import { type Config, type Environment, readConfig } from "../config/config.js";
import { deleteAllLinks } from "../domain/access/links/store.js";
import { endAllSessions } from "../domain/access/sessions/store.js";
import { closeAllLogs } from "../domain/audit/store.js";
import { readLists } from "../domain/revocations/list-file.js";
import {
  allRevocations,
  insertRevocations,
  newerThan,
  type Revocation,
} from "../domain/revocations/store.js";
import { systemClock } from "../infra/clock.js";
import { type Database, DatabaseConflictError } from "../infra/db/database.js";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../infra/db/migrate.js";
import { createPrivateFile } from "../infra/files/private-file.js";
import { systemIds } from "../infra/ids.js";
import { readFact } from "../infra/installation/installation.js";
import {
  installationExists,
  openDatabase,
  openDataDir,
  sqlitePath,
} from "../infra/installation/open.js";
import { createLog } from "../infra/log/log.js";
import { createSecrets } from "../infra/secrets/secrets.js";
import { SECRETS_KEY_FILE } from "../infra/secrets/secrets-key.js";
import { StartupError } from "../startup-error.js";
import {
  type BackupHeader,
  backupRows,
  type CheckedBackup,
  checkBackup,
  PROGRESS_EVERY_ROWS,
} from "./backup-file.js";
import { BackupFileError } from "./backup-lines.js";
import {
  type OutsideKey,
  outsideKey,
  type ProofOptions,
  proofOf,
  refuseOtherKey,
} from "./restore-proof.js";
import { type Doubt, noteRestore } from "./restored.js";
import { type Suspended, suspendRestored } from "./suspend-restored.js";
import { dataTables, fitsTable, insertRow } from "./tables.js";

export interface RestoreReport {
  readonly rows: number;
  readonly createdAt: string;
  readonly secretsKey: "restored" | "kept" | "missing";
  /** Whether a key from outside the file verified it. */
  readonly verified: boolean;
  /** Why tokens are void and agents suspended; undefined if they are not. */
  readonly doubt: Doubt | undefined;
  readonly suspended: Suspended | undefined;
  /** Files of the audit archive, which were not in the backup. */
  readonly archiveFiles: number;
  /** How many revocations the lists in the data folder held. */
  readonly revocations: number;
}

/** A restore never overwrites an installation. */
async function refuseOccupied(db: Database): Promise<void> {
  if ((await schemaVersion(db)) === 0) return;
  if ((await readFact(db, "secrets_key_id")) === undefined) return;
  throw new StartupError(
    "There is already an installation. Restore into an empty data folder or database.",
  );
}

/** Checked before the key, because the key of an existing installation says nothing about the file. */
async function refuseInstallation(config: Config): Promise<void> {
  const db = await openDatabase(config, { ids: systemIds, log: createLog("warn") });
  await refuseOccupied(db).finally(() => db.close());
}

function refuseNewerBackup({ schema_version, build }: BackupHeader): void {
  if (schema_version <= SCHEMA_VERSION) return;
  throw new BackupFileError(
    `The backup was made by a newer Gatehouse (${build}). Restore it with that version or a later one.`,
  );
}

/** Which secrets key the restored installation will have; refuses one that cannot open it. */
function planSecretsKey({ header, sealedBy }: CheckedBackup, outside: OutsideKey | undefined) {
  if (outside?.installed === true) return { state: "kept" } as const;
  const carried = header.secrets_key === null ? undefined : fromBase64url(header.secrets_key);
  const key = outside?.key ?? carried;
  if (key === undefined) return { state: "missing" } as const;
  if (createSecrets(key).keyId !== sealedBy) {
    throw new StartupError(
      "The secrets key in the backup does not belong to it. Use another backup.",
    );
  }
  return { state: "restored", key } as const;
}

export interface RestoreOptions extends ProofOptions {
  onChecked?(rows: number): void;
  onRows?(rows: number, total: number): void;
}

/** A backup that may be restored, and what is known about it. */
interface AcceptedBackup extends CheckedBackup {
  readonly file: string;
  readonly proof: "verified" | "unverified";
  readonly outside: OutsideKey | undefined;
  /** What the lists of revocations in the data folder say, and how new the newest of them is. */
  readonly revocations: readonly Revocation[];
  readonly listAsOf: number;
}

type Filled = Pick<RestoreReport, "rows" | "suspended" | "doubt" | "archiveFiles">;

/**
 * Why the tokens and agents of a backup cannot be trusted; undefined if they can. A list of revocations
 * that is not newer than the backup does not know what was revoked since.
 */
function doubtAbout({ proof, header, listAsOf }: AcceptedBackup): Doubt | undefined {
  if (proof === "unverified") return "unverified";
  return listAsOf > Date.parse(header.created_at) ? undefined : "no_newer_list";
}

async function restoreRows(
  db: Database,
  backup: AcceptedBackup,
  { onRows }: RestoreOptions,
): Promise<Filled> {
  const { header, file, rows: total } = backup;
  const now = systemClock.now();
  await migrate(db, { now, upTo: header.schema_version });
  const { unapplied, ...filled } = await db.transaction(async (tx) => {
    // Checked again, because another node may have restored into the same PostgreSQL meanwhile.
    if ((await readFact(tx, "secrets_key_id")) !== undefined) {
      throw new StartupError("There is already an installation. Restore into an empty database.");
    }
    const tables = new Map((await dataTables(tx, db.dialect)).map((table) => [table.name, table]));
    let count = 0;
    let archiveFiles = 0;
    for await (const { table: name, row } of backupRows(file, backup)) {
      const table = tables.get(name);
      if (table === undefined || !fitsTable(table, row)) {
        throw new BackupFileError(
          "The backup has a table or column that its schema does not have. Use another backup.",
        );
      }
      await insertRow(tx, table, row);
      if (name === "audit_archives") archiveFiles++;
      if (++count % PROGRESS_EVERY_ROWS === 0) onRows?.(count, total);
    }
    onRows?.(count, total);
    // The logs may have continued after the backup was made, so each gets a new epoch.
    if (tables.has("audit_chains")) await closeAllLogs(tx);
    const names = new Set(tables.keys());
    const stored = names.has("revocations") ? await allRevocations(tx) : [];
    const since = newerThan(backup.revocations, stored);
    const known = knownRevocations(since, names);
    await applyRevocations(tx, known);
    // What was signed out or used since the backup must not come back.
    if (names.has("console_sessions")) await endAllSessions(tx);
    if (names.has("person_links")) await deleteAllLinks(tx);
    const doubt = doubtAbout(backup);
    const taken = doubt && (await suspendRestored(tx, names, now));
    await noteRestore(tx, { at: now, backupAt: header.created_at, doubt });
    // The schema of the backup may not know every kind.
    const unapplied = since.filter((one) => !known.includes(one));
    return { rows: count, suspended: taken, doubt, archiveFiles, unapplied };
  });
  await migrate(db, { now });
  await db.transaction(async (tx) => {
    await applyRevocations(tx, unapplied);
    await insertRevocations(tx, backup.revocations);
  });
  return filled;
}

const LOCK_FILE = "restore.lock";

/** One restore at a time into a folder, because a failed restore removes the files it made. */
function lockFolder(config: Config): () => void {
  const path = join(config.dataDir, LOCK_FILE);
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    throw new StartupError(
      `Another restore is running in ${config.dataDir}. If it was interrupted, delete ${path} and start again.`,
    );
  }
  return () => rmSync(path, { force: true });
}

/** Fills the installation. If that fails, the files it made are removed. */
async function fill(
  config: Config,
  backup: AcceptedBackup,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const database = sqlitePath(config);
  const created: string[] = [];
  if (config.databaseUrl === undefined && !existsSync(database)) {
    created.push(database, `${database}-wal`, `${database}-shm`);
  }
  const db = await openDatabase(config, { ids: systemIds, log: createLog("warn") });
  try {
    await refuseOccupied(db);
    const { state: secretsKey, key } = planSecretsKey(backup, backup.outside);
    const keyFile = join(config.dataDir, SECRETS_KEY_FILE);
    if (key !== undefined && createPrivateFile(keyFile, `${toBase64url(key)}\n`)) {
      created.push(keyFile);
    }
    const filled = await restoreRows(db, backup, options);
    await db.close();
    const { created_at: createdAt } = backup.header;
    const verified = backup.proof === "verified";
    const revocations = backup.revocations.length;
    return { ...filled, createdAt, secretsKey, verified, revocations };
  } catch (error) {
    await db.close();
    for (const path of created) rmSync(path, { force: true });
    if (!(error instanceof DatabaseConflictError)) throw error;
    throw new BackupFileError("The backup has the same row twice. Use another backup.");
  }
}

/**
 * Checks the whole backup, then fills an empty installation from it. The secrets key is written first, so
 * that a crash after the rows leaves an installation that starts.
 */
export async function restore(
  env: Environment,
  file: string,
  options: RestoreOptions = {},
): Promise<RestoreReport> {
  const config = readConfig(env);
  const outside = outsideKey(config, options);
  const backup = await checkBackup(file, outside?.key, options.onChecked);
  refuseNewerBackup(backup.header);
  if (installationExists(config)) await refuseInstallation(config);
  refuseOtherKey(backup, outside);
  const lists = readLists(config.dataDir);
  const accepted: AcceptedBackup = {
    ...backup,
    file,
    outside,
    proof: proofOf(file, backup, options),
    revocations: lists.flatMap(({ revocations }) => revocations),
    listAsOf: Math.max(0, ...lists.map(({ asOf }) => asOf)),
  };
  openDataDir(config.dataDir);
  const unlock = lockFolder(config);
  try {
    return await fill(config, accepted, options);
  } finally {
    unlock();
  }
}
