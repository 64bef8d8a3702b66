import { hasProducts } from "../../domain/products/store.js";
import { SITE_TOPIC } from "../../domain/sites/site.js";
import { touchSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";

/**
 * Changes products. Pages for agents show some of them, and a site without products does not advertise that
 * it sells, so the first and the last product make another version of the site.
 */
export async function changingProducts<T>(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
  change: () => Promise<T>,
): Promise<T> {
  const before = await hasProducts(tx, siteKeyHash);
  const result = await change();
  if (before === (await hasProducts(tx, siteKeyHash))) tx.announce(SITE_TOPIC, siteKeyHash);
  else await touchSite(tx, siteKeyHash, now);
  return result;
}
