import type { Context } from "../../context.js";
import { changePrice, type DueSale, dueSales } from "../../domain/products/sales/store.js";
import { inOrder } from "../../domain/products/store.js";
import { SITE_TOPIC } from "../../domain/sites/site.js";
import { BATCH_ROWS } from "./import-products.js";

/** How late a price can change after the time that its sale names. */
export const PRICES_EVERY_MS = 10_000;

/**
 * Changes the prices of products whose sale has begun or ended. So every product has one price at any moment, which
 * searches, quotes and purchases read alike. A crash leaves the others for the next time.
 */
export async function changePrices({ clock, db }: Context, stopping: () => boolean): Promise<void> {
  for (;;) {
    const now = clock.now();
    const due = await dueSales(db, now, BATCH_ROWS);
    const bySite = new Map<string, DueSale[]>();
    for (const sale of due) {
      const { siteKeyHash } = sale;
      bySite.set(siteKeyHash, [...(bySite.get(siteKeyHash) ?? []), sale]);
    }
    for (const [siteKeyHash, sales] of bySite) {
      await db.transaction(async (tx) => {
        for (const sale of inOrder(sales, ({ productId }) => productId))
          await changePrice(tx, sale, now);
        tx.announce(SITE_TOPIC, siteKeyHash);
      });
    }
    if (due.length < BATCH_ROWS || stopping()) return;
  }
}
