import { deleteFeed } from "../../domain/product-feeds/store.js";
import { adoptProducts, pauseListed } from "../../domain/products/feed/store.js";
import { SITE_TOPIC } from "../../domain/sites/site.js";
import type { Transaction } from "../../infra/db/database.js";
import { changingProducts } from "../products/changing-products.js";

/** From now on the shop system says what a site sells: its feed ends, and products from elsewhere can go missing. */
export async function takeOverProducts(tx: Transaction, siteKeyHash: string): Promise<void> {
  await deleteFeed(tx, siteKeyHash);
  await adoptProducts(tx, siteKeyHash);
  tx.announce(SITE_TOPIC, siteKeyHash);
}

/** Nobody knows the stock of a shop system that is gone, so what came from it is off sale until it is back. */
export async function pauseOfShop(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
): Promise<void> {
  await changingProducts(tx, siteKeyHash, now, () => pauseListed(tx, siteKeyHash, now));
  // Also where nothing was on sale: its discount codes are no longer offered.
  tx.announce(SITE_TOPIC, siteKeyHash);
}
