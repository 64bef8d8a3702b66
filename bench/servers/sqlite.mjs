// SQLite for the baselines: the same driver, with the same settings, as the server's own.
import { openSqliteFile } from "../../packages/server/dist/infra/db/sqlite-driver.js";

const BUSY_MS = 5000;

export function openSqlite(path) {
  return openSqliteFile(path, BUSY_MS);
}

/** A file of a baseline's own: every commit is synced, as the server's are. */
export function openBare(path) {
  const db = openSqlite(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  return db;
}
