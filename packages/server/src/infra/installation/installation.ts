import type { Queries } from "../db/database.js";

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

/** Writes a fact that is not known yet, and returns the one that holds. */
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

/** Moves a moment forward, never back. */
export async function advanceFact(db: Queries, name: "last_seen_at", ms: number): Promise<void> {
  await db.run(
    `INSERT INTO installation (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value
     WHERE CAST(installation.value AS BIGINT) < CAST(excluded.value AS BIGINT)`,
    name,
    String(ms),
  );
}
