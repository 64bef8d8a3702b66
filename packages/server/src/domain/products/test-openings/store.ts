import type { Queries, Transaction } from "../../../infra/db/database.js";

/** What test purchases have turned on at a site. */
export interface TestOpening {
  readonly skill: boolean;
  readonly mandates: boolean;
}

/** The first test says what was off. A test beside it finds everything on. */
export async function insertTestOpening(
  tx: Transaction,
  siteKeyHash: string,
  { skill, mandates }: TestOpening,
): Promise<void> {
  const sql = `INSERT INTO test_openings (site_key_hash, opened_skill, opened_mandates)
    VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;
  await tx.run(sql, siteKeyHash, Number(skill), Number(mandates));
}

/** Undefined while no test is running. */
export async function testOpening(
  db: Queries,
  siteKeyHash: string,
): Promise<TestOpening | undefined> {
  const sql = "SELECT opened_skill, opened_mandates FROM test_openings WHERE site_key_hash = ?";
  const [row] = await db.all<Record<"opened_skill" | "opened_mandates", number>>(sql, siteKeyHash);
  return row && { skill: row.opened_skill === 1, mandates: row.opened_mandates === 1 };
}

export async function deleteTestOpening(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM test_openings WHERE site_key_hash = ?", siteKeyHash);
}
