import type { Database, DatabaseUnavailableError } from "../db/database.js";
import { writeFact } from "./installation.js";

/** About the space one decision takes: pages of records, rows and indexes. */
const ROOM = "0".repeat(65_536);

/** Error codes for a full disk, of SQLite and of PostgreSQL. */
const OUT_OF_ROOM: readonly unknown[] = ["SQLITE_FULL", "53100"];

/**
 * Writes as much as a decision would, into one row that is overwritten each time, and into no log. It
 * takes space and gives it back. `lasting` keeps the space until the next probe, so that all of it must
 * reach the disk; this is for a database that has just failed to commit.
 */
export async function probeWriting(db: Database, lasting: boolean): Promise<void> {
  await db.transaction(async (tx) => {
    await writeFact(tx, "write_probe", ROOM);
    if (!lasting) await writeFact(tx, "write_probe", "");
  });
}

/** Whether a database failed for lack of room on its disk. */
export function isOutOfRoom(error: DatabaseUnavailableError): boolean {
  const cause = error.cause as { readonly code?: unknown } | undefined;
  return OUT_OF_ROOM.includes(cause?.code);
}
