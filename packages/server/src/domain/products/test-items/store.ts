import type { Money } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../../infra/db/database.js";
import { countRows } from "../../../infra/db/statements.js";

/** A product that only one test agent can buy, and that is in no list of what a site sells. */
export interface TestItem {
  readonly siteKeyHash: string;
  readonly productId: string;
  readonly agentId: string;
  readonly createdAt: number;
}

const TITLE = "Test item";
const DESCRIPTION = "Only for a test purchase.";

export async function insertTestItem(
  tx: Transaction,
  { siteKeyHash, productId, agentId, createdAt }: TestItem,
  { minor, currency }: Money,
): Promise<void> {
  await tx.insert("products", [
    {
      site_key_hash: siteKeyHash,
      product_id: productId,
      title: TITLE,
      description: DESCRIPTION,
      price_minor: minor,
      currency,
      image_url: null,
      url: null,
      availability: "in_stock",
      quantity: 1,
      reserved: 0,
      import_id: "",
      changed_at: createdAt,
      title_words: "",
      body_words: "",
      paused: 1,
      from_feed: 0,
      missing_since: null,
      feed_paused: 0,
      test_agent_id: agentId,
    },
  ]);
}

/** Test items of all sites: one for each test that is not over. */
export async function listTestItems(db: Queries, limit: number): Promise<readonly TestItem[]> {
  const rows = await db.all<
    Record<"site_key_hash" | "product_id" | "test_agent_id", string> & { changed_at: number }
  >(
    `SELECT site_key_hash, product_id, test_agent_id, changed_at FROM products
     WHERE test_agent_id IS NOT NULL ORDER BY test_agent_id LIMIT ?`,
    limit,
  );
  return rows.map((row) => ({
    siteKeyHash: row.site_key_hash,
    productId: row.product_id,
    agentId: row.test_agent_id,
    createdAt: row.changed_at,
  }));
}

/** Tests of a site that are not over. */
export function countTestItems(db: Queries, siteKeyHash: string): Promise<number> {
  const from = "products WHERE site_key_hash = ? AND test_agent_id IS NOT NULL";
  return countRows(db, from, siteKeyHash);
}

export async function deleteTestItem(
  tx: Transaction,
  { siteKeyHash, productId }: TestItem,
): Promise<void> {
  const sql = `DELETE FROM products
    WHERE site_key_hash = ? AND product_id = ? AND test_agent_id IS NOT NULL`;
  await tx.run(sql, siteKeyHash, productId);
}
