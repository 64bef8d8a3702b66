import type { Queries, Transaction } from "../../../infra/db/database.js";
import { countRows } from "../../../infra/db/statements.js";
import { Table } from "../../../infra/db/table.js";
import type { ListedProduct } from "../product.js";
import { changeReplacedPrices } from "../sales/store.js";
import { LISTED_COLUMNS, OWN } from "../store.js";

/** The last import of a site, while it can be undone. */
export interface LastImport {
  readonly importId: string;
  readonly importedAt: number;
}

const imports = new Table<LastImport>("product_imports", {
  importId: "import_id",
  importedAt: "imported_at",
});

/** What is kept of a product that an import replaces. Stock in payments stays with the product. */
const KEPT = [
  ...LISTED_COLUMNS,
  "paused",
  "import_id",
  "title_words",
  "body_words",
  "from_feed",
  "missing_since",
  "feed_paused",
].join(", ");

/** Undefined if there was no import, or something else has changed the products since. */
export function lastImport(db: Queries, siteKeyHash: string): Promise<LastImport | undefined> {
  return imports.find(db, { site_key_hash: siteKeyHash });
}

export async function beginImport(
  tx: Transaction,
  siteKeyHash: string,
  { importId, importedAt }: LastImport,
): Promise<void> {
  await deleteLastImport(tx, siteKeyHash);
  await tx.insert("product_imports", [
    { site_key_hash: siteKeyHash, import_id: importId, imported_at: importedAt },
  ]);
}

/** From now on no import can be undone, unless it is the one that is still running. */
export async function deleteLastImport(
  tx: Transaction,
  siteKeyHash: string,
  running = "",
): Promise<void> {
  const sql = "DELETE FROM product_imports WHERE site_key_hash = ? AND import_id <> ?";
  if ((await tx.run(sql, siteKeyHash, running)) === 0) return;
  await tx.run("DELETE FROM replaced_products WHERE site_key_hash = ?", siteKeyHash);
}

/** Keeps products as they are, before an import writes them. */
export async function keepReplaced(
  tx: Transaction,
  siteKeyHash: string,
  written: readonly ListedProduct[],
  { updates }: { readonly updates: boolean },
): Promise<void> {
  for (const { productId, quantity, absent } of written) {
    const staysCounted = updates && absent.includes("quantity");
    const kept = await tx.run(
      `INSERT INTO replaced_products (site_key_hash, product_id, was_listed, written_quantity, ${KEPT})
       SELECT site_key_hash, product_id, 1, ${staysCounted ? "quantity" : "CAST(? AS INTEGER)"}, ${KEPT}
       FROM products WHERE site_key_hash = ? AND product_id = ?`,
      ...(staysCounted ? [] : [quantity]),
      siteKeyHash,
      productId,
    );
    if (kept > 0) continue;
    await tx.insert("replaced_products", [
      { site_key_hash: siteKeyHash, product_id: productId, was_listed: 0 },
    ]);
  }
}

/** Keeps the products that an import is going to remove. */
export async function keepOthers(
  tx: Transaction,
  siteKeyHash: string,
  importId: string,
): Promise<void> {
  await tx.run(
    `INSERT INTO replaced_products (site_key_hash, product_id, was_listed, written_quantity, ${KEPT})
     SELECT site_key_hash, product_id, 1, quantity, ${KEPT}
     FROM products WHERE site_key_hash = ? AND import_id <> ? AND ${OWN}`,
    siteKeyHash,
    importId,
  );
}

/** How many products an import added, and how many it changed or removed. */
export async function countReplaced(
  db: Queries,
  siteKeyHash: string,
): Promise<{ readonly added: number; readonly replaced: number }> {
  const of = "replaced_products WHERE site_key_hash = ? AND was_listed =";
  return {
    added: await countRows(db, `${of} 0`, siteKeyHash),
    replaced: await countRows(db, `${of} 1`, siteKeyHash),
  };
}

/** What has been sold since the import is not in stock again. */
async function takeSales(tx: Transaction, siteKeyHash: string): Promise<void> {
  const now = `(SELECT quantity FROM products WHERE products.site_key_hash = replaced_products.site_key_hash
     AND products.product_id = replaced_products.product_id)`;
  await tx.run(
    `UPDATE replaced_products SET quantity = quantity - written_quantity + ${now}
     WHERE site_key_hash = ? AND quantity - written_quantity + ${now} IS NOT NULL`,
    siteKeyHash,
  );
  await tx.run(
    "UPDATE replaced_products SET quantity = 0 WHERE site_key_hash = ? AND quantity < 0",
    siteKeyHash,
  );
}

/** Makes the products what they were before the import: removes what it added, and restores the others. */
export async function restoreReplaced(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
): Promise<void> {
  await takeSales(tx, siteKeyHash);
  await changeReplacedPrices(tx, siteKeyHash, now);
  await tx.run(
    `DELETE FROM products WHERE site_key_hash = ? AND product_id IN
       (SELECT product_id FROM replaced_products WHERE site_key_hash = ? AND was_listed = 0)`,
    siteKeyHash,
    siteKeyHash,
  );
  const columns = KEPT.split(", ");
  await tx.run(
    `INSERT INTO products (site_key_hash, product_id, changed_at, ${KEPT})
     SELECT site_key_hash, product_id, CAST(? AS BIGINT), ${KEPT}
     FROM replaced_products WHERE site_key_hash = ? AND was_listed = 1
     ON CONFLICT (site_key_hash, product_id) DO UPDATE SET changed_at = excluded.changed_at,
       ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    now,
    siteKeyHash,
  );
}
