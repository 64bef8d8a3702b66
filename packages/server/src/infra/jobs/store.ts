import type { Queries } from "../db/database.js";

export async function planJob(db: Queries, name: string, firstRunAt: number): Promise<void> {
  await db.run(
    "INSERT INTO jobs (name, next_run_at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
    name,
    firstRunAt,
  );
}

/**
 * Takes the lease of a due job; false when it is not due or another node has it. One planned
 * further ahead than its interval was planned by a clock that was wrong, and counts as due.
 */
export async function claimJob(
  db: Queries,
  { name, everyMs }: { readonly name: string; readonly everyMs: number },
  owner: string,
  now: number,
  leaseUntil: number,
): Promise<boolean> {
  const changed = await db.run(
    `UPDATE jobs SET lease_owner = ?, lease_until = ?
     WHERE name = ? AND (next_run_at <= ? OR next_run_at > ?)
       AND (lease_until IS NULL OR lease_until < ?)`,
    owner,
    leaseUntil,
    name,
    now,
    now + everyMs,
    now,
  );
  return changed === 1;
}

/** Gives the lease back, if it is still ours. */
export async function finishJob(
  db: Queries,
  name: string,
  owner: string,
  { ranAt, nextRunAt, error }: { ranAt: number; nextRunAt: number; error: string | null },
): Promise<void> {
  await db.run(
    `UPDATE jobs SET next_run_at = ?, last_run_at = ?, last_error = ?, lease_owner = NULL,
       lease_until = NULL WHERE name = ? AND lease_owner = ?`,
    nextRunAt,
    ranAt,
    error,
    name,
    owner,
  );
}

export function failedJobs(db: Queries): Promise<{ name: string; error: string }[]> {
  return db.all(
    "SELECT name, last_error AS error FROM jobs WHERE last_error IS NOT NULL ORDER BY name",
  );
}
