import { type Refusal, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { productFeed } from "../../domain/product-feeds/store.js";
import { deleteLastImport } from "../../domain/products/imports/store.js";
import { hasProducts } from "../../domain/products/store.js";
import { shopConnection, siteConnection } from "../../domain/shop-connections/store.js";
import { SITE_TOPIC } from "../../domain/sites/site.js";
import { touchSite } from "../../domain/sites/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";

/**
 * Changes products. Pages for agents show some of them, and a site without products does not advertise that
 * it sells, so the first and the last product make another version of the site. An import can be undone only until
 * something else changes them; `importId` names the one that is running.
 */
export async function changingProducts<T>(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
  change: () => Promise<T>,
  importId?: string,
): Promise<T> {
  await deleteLastImport(tx, siteKeyHash, importId);
  const before = await hasProducts(tx, siteKeyHash);
  const result = await change();
  if (before === (await hasProducts(tx, siteKeyHash))) tx.announce(SITE_TOPIC, siteKeyHash);
  else await touchSite(tx, siteKeyHash, now);
  return result;
}

/** Refuses a change by hand of products that come from a shop system: its next message would undo it. */
export async function ownedByShop(
  db: Queries,
  siteKeyHash: string,
): Promise<Refusal<"conflict"> | undefined> {
  const connection = await shopConnection(db, siteKeyHash);
  if (connection === undefined) return undefined;
  return refuse(
    "conflict",
    `The products of this site come from ${connection.system}. Change them there, or pause them here.`,
  );
}

/** Where the products of a site come from, besides the owner. */
export async function productSource({ db }: Context, siteKeyHash: string) {
  const connection = await siteConnection(db, siteKeyHash);
  const feed = await productFeed(db, siteKeyHash);
  return { connection, hasFeed: feed !== undefined };
}
