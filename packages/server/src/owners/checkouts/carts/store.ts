import type { Queries, Transaction } from "../../../platform/db/database.js";
import { CART_ID, type Cart } from "./cart.js";

interface Row {
  cart_id: string;
  site_key_hash: string;
  platform_url: string;
  platform_signed: number;
  lines: string;
  buyer: string;
  context: string;
  created_at: number;
  expires_at: number;
  cancelled_at: number | null;
}

function cartOf(row: Row): Cart {
  return Object.freeze({
    cartId: row.cart_id,
    siteKeyHash: row.site_key_hash,
    platform: { url: row.platform_url, signed: row.platform_signed === 1 },
    lines: JSON.parse(row.lines),
    buyer: JSON.parse(row.buyer),
    context: JSON.parse(row.context),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    cancelledAt: row.cancelled_at,
  });
}

export async function insertCart(tx: Transaction, cart: Cart): Promise<void> {
  await tx.insert("carts", [
    {
      cart_id: cart.cartId,
      site_key_hash: cart.siteKeyHash,
      platform_url: cart.platform.url,
      platform_signed: cart.platform.signed ? 1 : 0,
      lines: JSON.stringify(cart.lines),
      buyer: JSON.stringify(cart.buyer),
      context: JSON.stringify(cart.context),
      created_at: cart.createdAt,
      expires_at: cart.expiresAt,
      cancelled_at: cart.cancelledAt,
    },
  ]);
}

export async function cartById(
  db: Queries,
  siteKeyHash: string,
  cartId: string,
): Promise<Cart | undefined> {
  if (!CART_ID.test(cartId)) return undefined;
  const sql = "SELECT * FROM carts WHERE site_key_hash = ? AND cart_id = ?";
  const row = await db.get<Row>(sql, siteKeyHash, cartId);
  return row && cartOf(row);
}

/** Holds a cart until the transaction ends: whoever changes it next waits. */
export async function lockCart(tx: Transaction, cartId: string): Promise<void> {
  if (!CART_ID.test(cartId)) return;
  await tx.lock("SELECT cart_id FROM carts WHERE cart_id = ?", cartId);
}

/** Replaces what is in a cart, all of it. */
export async function replaceCart(
  tx: Transaction,
  { cartId, lines, buyer, context }: Cart,
): Promise<void> {
  await tx.run(
    "UPDATE carts SET lines = ?, buyer = ?, context = ? WHERE cart_id = ?",
    ...[JSON.stringify(lines), JSON.stringify(buyer), JSON.stringify(context), cartId],
  );
}

export async function endCart(tx: Transaction, cartId: string, now: number): Promise<void> {
  await tx.run("UPDATE carts SET cancelled_at = ? WHERE cart_id = ?", now, cartId);
}

export async function forgetCarts(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM carts WHERE expires_at < ?", before);
}

export async function deleteCarts(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM carts WHERE site_key_hash = ?", siteKeyHash);
}
