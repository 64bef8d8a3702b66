import type { NewRow, Queries, Transaction } from "../../../infra/db/database.js";
import { selectNumber } from "../../../infra/db/statements.js";
import { json, Table } from "../../../infra/db/table.js";
import {
  countBytes,
  deleteCounted,
  type Holder,
  rowBytes,
} from "../../../infra/quota/stored-bytes.js";
import { PLATFORM } from "../platform.js";
import { CART_ID, type Cart } from "./cart.js";

export const carts = new Table<Cart>("carts", {
  cartId: "cart_id",
  siteKeyHash: "site_key_hash",
  pageId: "page_id",
  platform: PLATFORM,
  lines: json("lines"),
  buyer: json("buyer"),
  context: json("context"),
  createdAt: "created_at",
  expiresAt: "expires_at",
  cancelledAt: "cancelled_at",
});

/** The row of a cart, with the bytes that it takes. Its buyer may have changed, so `buyer_mac` is computed again. */
function rowOf(cart: Cart): NewRow & { readonly bytes: number } {
  const row = carts.rowOf(cart);
  const { platform_url, webhook_url, lines, buyer, context } = row;
  const texts = [platform_url, webhook_url, lines, buyer, context] as (string | null)[];
  return { ...row, buyer_mac: null, bytes: rowBytes(...texts) };
}

export async function insertCart(tx: Transaction, cart: Cart): Promise<void> {
  const row = rowOf(cart);
  await countBytes(tx, cart.siteKeyHash, cart.platform.holder, row.bytes);
  await tx.insert("carts", [row]);
}

export async function cartById(
  db: Queries,
  siteKeyHash: string,
  cartId: string,
): Promise<Cart | undefined> {
  if (!CART_ID.test(cartId)) return undefined;
  return carts.get(db, "WHERE site_key_hash = ? AND cart_id = ?", siteKeyHash, cartId);
}

export async function cartByPage(
  db: Queries,
  siteKeyHash: string,
  pageId: string,
): Promise<Cart | undefined> {
  if (!CART_ID.test(pageId)) return undefined;
  return carts.get(db, "WHERE site_key_hash = ? AND page_id = ?", siteKeyHash, pageId);
}

/** Locks a cart until the transaction ends, so that changes happen one after the other. */
export async function lockCart(tx: Transaction, cartId: string): Promise<void> {
  if (!CART_ID.test(cartId)) return;
  await tx.lock("SELECT cart_id FROM carts WHERE cart_id = ?", cartId);
}

/** Replaces the whole content of a cart. */
export async function replaceCart(tx: Transaction, cart: Cart): Promise<void> {
  const { cartId, siteKeyHash, platform } = cart;
  const row = rowOf(cart);
  const before = await selectNumber(tx, "bytes", "carts WHERE cart_id = ?", cartId);
  const columns = ["lines", "buyer", "context", "bytes", "buyer_mac"];
  await carts.update(tx, row, columns, "cart_id = ?", cartId);
  await countBytes(tx, siteKeyHash, platform.holder, row.bytes - before);
}

export async function endCart(tx: Transaction, cartId: string, now: number): Promise<void> {
  await tx.run("UPDATE carts SET cancelled_at = ? WHERE cart_id = ?", now, cartId);
}

export async function deleteExpiredCarts(tx: Transaction, before: number): Promise<void> {
  await deleteCounted(tx, "carts", "expires_at < ?", before);
}

/** Deletes a holder's oldest carts. Returns the bytes freed. */
export function evictCarts(
  tx: Transaction,
  siteKeyHash: string,
  holder: Holder,
  rows: number,
): Promise<number> {
  const oldest = `cart_id IN (SELECT cart_id FROM carts WHERE site_key_hash = ? AND holder = ?
     ORDER BY created_at, cart_id LIMIT ?)`;
  return deleteCounted(tx, "carts", oldest, siteKeyHash, holder, rows);
}

export async function deleteCarts(tx: Transaction, siteKeyHash: string): Promise<void> {
  await deleteCounted(tx, "carts", "site_key_hash = ?", siteKeyHash);
}
