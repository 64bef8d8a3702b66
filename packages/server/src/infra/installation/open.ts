import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.js";
import { StartupError } from "../../startup-error.js";
import type { Database } from "../db/database.js";
import type { Ids } from "../ids.js";
import type { Log } from "../log/log.js";

const SQLITE_FILE = "gatehouse.db";
export const BACKUP_DIR = "backups";

/** One folder at a time, because Node's recursive mkdir never returns on file systems such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Makes the data folder if it is missing, and refuses one that cannot be written. */
export function openDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new StartupError(
      `The data folder ${dataDir} cannot be used (${code}). Make it writable for this user, or ` +
        "set GATEHOUSE_DATA_DIR to another folder.",
    );
  }
}

/** Messages for error codes of the driver. */
const POSTGRES_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server listens at this address",
  ENOTFOUND: "the host is unknown",
  EAI_AGAIN: "the host is unknown",
  ETIMEDOUT: "it did not answer",
  "28P01": "the password was rejected",
  "28000": "the user was rejected",
  "3D000": "the database does not exist",
  "42501": "the user has no permission",
};

function causeCode(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === "string") return code;
    const nested = (at as { errors?: { code?: string }[] }).errors?.[0]?.code;
    if (nested !== undefined) return nested;
  }
  return "";
}

export interface OpenTools {
  readonly ids: Ids;
  readonly log: Log;
}

export function sqlitePath(config: Config): string {
  return join(config.dataDir, SQLITE_FILE);
}

/** Opens the configured database. Only its own driver is loaded. An error says what to do. */
export async function openDatabase(config: Config, tools: OpenTools): Promise<Database> {
  if (config.databaseUrl === undefined) {
    try {
      const { openSqlite } = await import("../db/sqlite.js");
      return openSqlite(sqlitePath(config));
    } catch (error) {
      throw new StartupError(
        `The database ${sqlitePath(config)} cannot be opened (${(error as Error).message}): check ` +
          "the file, or restore a backup.",
      );
    }
  }
  try {
    const { openPostgres } = await import("../db/postgres.js");
    return await openPostgres(config.databaseUrl, tools);
  } catch (error) {
    const { host, pathname } = new URL(config.databaseUrl);
    const code = causeCode(error);
    const why = POSTGRES_FAULTS[code] ?? ((error as Error).message.split("\n")[0] || code);
    throw new StartupError(
      `PostgreSQL at ${host}${pathname} cannot be used: ${why}. Check GATEHOUSE_DATABASE_URL.`,
    );
  }
}

/** Whether there is an installation; PostgreSQL always counts as one. */
export function installationExists(config: Config): boolean {
  return config.databaseUrl !== undefined || existsSync(sqlitePath(config));
}
