import type { Database, Queries } from "../db/database.js";

/** Facts about this installation, by name. */
type Fact = "secrets_key_id" | "last_seen_at" | "restored" | "audit_archive_id";

export async function readFact(db: Queries, name: Fact): Promise<string | undefined> {
  const row = await db.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = ?",
    name,
  );
  return row?.value;
}

/** Writes a fact that is not known yet, and returns the one that holds. */
export async function settleFact(db: Database, name: Fact, value: string): Promise<string> {
  await db.run(
    "INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
    ...[name, value],
  );
  return (await readFact(db, name)) ?? value;
}

/** Writes a fact over what was known before. */
export async function writeFact(db: Queries, name: Fact, value: string): Promise<void> {
  await db.run(
    `INSERT INTO installation (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    ...[name, value],
  );
}

/** Moves a moment forward, never back. */
export async function advanceFact(db: Queries, name: "last_seen_at", ms: number): Promise<void> {
  await db.run(
    `INSERT INTO installation (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value
     WHERE CAST(installation.value AS BIGINT) < CAST(excluded.value AS BIGINT)`,
    ...[name, String(ms)],
  );
}
