import type { Database, DatabaseUnavailableError } from "../db/database.js";
import { writeFact } from "./installation.js";

/** About the room one decision takes: pages of records, rows and indexes. */
const ROOM = "0".repeat(65_536);

/** What drivers say where there is no room left: SQLite's word, and PostgreSQL's. */
const OUT_OF_ROOM: readonly unknown[] = ["SQLITE_FULL", "53100"];

/**
 * Writes as a decision would, into one row that is written over each time, and into no log. It asks for
 * room and gives it back. `lasting` keeps the room until the next probe, so that all of it has to reach
 * the disk: for a database that has just failed to take a commit.
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
