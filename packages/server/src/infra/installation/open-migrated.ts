import type { Config } from "../../config/config.js";
import type { Clock } from "../clock.js";
import type { Database } from "../db/database.js";
import { migrate } from "../db/migrate.js";
import type { Ids } from "../ids.js";
import type { Log } from "../log/log.js";
import { BACKUP_DIR, openDatabase, sqlitePath } from "./open.js";

/** Opens the installation's database, brought up to this build's schema. */
export async function openMigrated(
  config: Config,
  tools: { readonly clock: Clock; readonly ids: Ids; readonly log: Log },
): Promise<Database> {
  const db = await openDatabase(config, tools);
  try {
    const sqlite = config.databaseUrl === undefined ? { sqlitePath: sqlitePath(config) } : {};
    const backupDir = `${config.dataDir}/${BACKUP_DIR}`;
    await migrate(db, { ...sqlite, backupDir, now: tools.clock.now() });
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}
