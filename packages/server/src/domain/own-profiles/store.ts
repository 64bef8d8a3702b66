import type { Queries, Transaction } from "../../infra/db/database.js";

/** Whether a site serves its UCP profile at an address of its own domain. */
export interface OwnProfile {
  readonly siteKeyHash: string;
  readonly url: string;
  readonly served: boolean;
  readonly checkedAt: number;
}

export async function ownProfile(
  db: Queries,
  siteKeyHash: string,
): Promise<OwnProfile | undefined> {
  const row = await db.get<{ url: string; served: number; checked_at: number }>(
    "SELECT url, served, checked_at FROM own_profiles WHERE site_key_hash = ?",
    siteKeyHash,
  );
  if (row === undefined) return undefined;
  return { siteKeyHash, url: row.url, served: row.served === 1, checkedAt: row.checked_at };
}

export async function writeOwnProfile(tx: Transaction, profile: OwnProfile): Promise<void> {
  const { siteKeyHash, url, served, checkedAt } = profile;
  const values = [url, served ? 1 : 0, checkedAt] as const;
  await tx.run(
    `INSERT INTO own_profiles (site_key_hash, url, served, checked_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (site_key_hash) DO UPDATE SET url = ?, served = ?, checked_at = ?`,
    siteKeyHash,
    ...values,
    ...values,
  );
}

export async function deleteOwnProfile(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM own_profiles WHERE site_key_hash = ?", siteKeyHash);
}
