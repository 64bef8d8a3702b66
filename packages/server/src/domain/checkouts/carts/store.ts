import type { Queries, Transaction } from "../../../infra/db/database.js";
import {
  countBytes,
  deleteCounted,
  type Holder,
  rowBytes,
} from "../../../infra/quota/stored-bytes.js";
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
  holder: Holder;
  bytes: number;
}

function cartOf(row: Row): Cart {
  return Object.freeze({
    cartId: row.cart_id,
    siteKeyHash: row.site_key_hash,
    platform: { url: row.platform_url, signed: row.platform_signed === 1 },
    holder: row.holder,
    lines: JSON.parse(row.lines),
    buyer: JSON.parse(row.buyer),
    context: JSON.parse(row.context),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    cancelledAt: row.cancelled_at,
  });
}

/** The stored columns of a cart, and the bytes that its row takes. */
function contentColumns({ platform, lines, buyer, context }: Cart) {
  const texts = {
    lines: JSON.stringify(lines),
    buyer: JSON.stringify(buyer),
    context: JSON.stringify(context),
  };
  return { ...texts, bytes: rowBytes(platform.url, ...Object.values(texts)) };
}

export async function insertCart(tx: Transaction, cart: Cart): Promise<void> {
  const content = contentColumns(cart);
  await countBytes(tx, cart.siteKeyHash, cart.holder, content.bytes);
  await tx.insert("carts", [
    {
      cart_id: cart.cartId,
      site_key_hash: cart.siteKeyHash,
      platform_url: cart.platform.url,
      platform_signed: cart.platform.signed ? 1 : 0,
      ...content,
      holder: cart.holder,
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

/** Locks a cart until the transaction ends, so that changes happen one after the other. */
export async function lockCart(tx: Transaction, cartId: string): Promise<void> {
  if (!CART_ID.test(cartId)) return;
  await tx.lock("SELECT cart_id FROM carts WHERE cart_id = ?", cartId);
}

/** Replaces the whole content of a cart. */
export async function replaceCart(tx: Transaction, cart: Cart): Promise<void> {
  const { cartId, siteKeyHash, holder } = cart;
  const { lines, buyer, context, bytes } = contentColumns(cart);
  const before = await tx.get<Row>("SELECT bytes FROM carts WHERE cart_id = ?", cartId);
  await tx.run(
    "UPDATE carts SET lines = ?, buyer = ?, context = ?, bytes = ? WHERE cart_id = ?",
    lines,
    buyer,
    context,
    bytes,
    cartId,
  );
  await countBytes(tx, siteKeyHash, holder, bytes - (before?.bytes ?? 0));
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
