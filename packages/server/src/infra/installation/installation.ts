import type { Database, DatabaseUnavailableError, Queries } from "../db/database.js";
import { sqliteFault } from "../db/sqlite-driver.js";

/** Facts about this installation, by name. */
type Fact =
  | ("secrets_key_id" | "last_seen_at" | "restored" | "audit_archive_id")
  | "restore_recorded"
  | ("clock_accepted" | "write_probe");

export async function readFacts<Name extends Fact>(
  db: Queries,
  names: readonly Name[],
): Promise<Partial<Record<Name, string>>> {
  const marks = names.map(() => "?").join(", ");
  const sql = `SELECT name, value FROM installation WHERE name IN (${marks})`;
  const rows = await db.all<{ name: Name; value: string }>(sql, ...names);
  const facts: Partial<Record<Name, string>> = {};
  for (const { name, value } of rows) facts[name] = value;
  return facts;
}

export async function readFact(db: Queries, name: Fact): Promise<string | undefined> {
  return (await readFacts(db, [name]))[name];
}

/** Writes a fact unless it is known, and returns the stored value. */
export async function settleFact(db: Queries, name: Fact, value: string): Promise<string> {
  await db.run(
    "INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
    name,
    value,
  );
  return (await readFact(db, name)) ?? value;
}

/** Writes a fact, replacing its old value. */
export async function writeFact(db: Queries, name: Fact, value: string): Promise<void> {
  await db.run(
    `INSERT INTO installation (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    name,
    value,
  );
}

/** Writes a later time; an earlier one changes nothing. */
export async function advanceFact(db: Queries, name: "last_seen_at", ms: number): Promise<void> {
  await db.run(
    `INSERT INTO installation (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value
     WHERE CAST(installation.value AS BIGINT) < CAST(excluded.value AS BIGINT)`,
    name,
    String(ms),
  );
}

/** About the space one decision takes: pages of records, rows and indexes. */
const ROOM = "0".repeat(65_536);

/** PostgreSQL's error code for a full disk. */
const DISK_FULL = "53100";

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
  const { cause } = error;
  return sqliteFault(cause) === "full" || (cause as { code?: unknown })?.code === DISK_FULL;
}
