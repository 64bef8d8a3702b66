// SQLite for the baselines: the same driver, with the same settings, as the server's own.
import { openSqliteFile } from "../../packages/server/dist/infra/db/sqlite-driver.js";

const BUSY_MS = 5000;

/** The driver closes a file that nothing refers to, even one whose statements are in use. */
const opened = [];

export function openSqlite(path) {
  const db = openSqliteFile(path, BUSY_MS);
  opened.push(db);
  return db;
}

/** A file of a baseline's own: every commit is synced, as the server's are. */
export function openBare(path) {
  const db = openSqlite(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  return db;
}
