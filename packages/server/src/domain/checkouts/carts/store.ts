import type { NewRow, Queries, Transaction } from "../../../infra/db/database.js";
import { selectNumber } from "../../../infra/db/statements.js";
import { json, Table } from "../../../infra/db/table.js";
import {
  countBytes,
  deleteCounted,
  type Holder,
  rowBytes,
} from "../../../infra/quota/stored-bytes.js";
import { CART_ID, type Cart } from "./cart.js";

const carts = new Table<Cart>("carts", {
  cartId: "cart_id",
  siteKeyHash: "site_key_hash",
  platform: {
    read: (row) => ({ url: row.platform_url as string, signed: row.platform_signed === 1 }),
    write: ({ url, signed }) => ({ platform_url: url, platform_signed: signed ? 1 : 0 }),
  },
  holder: "holder",
  lines: json("lines"),
  buyer: json("buyer"),
  context: json("context"),
  createdAt: "created_at",
  expiresAt: "expires_at",
  cancelledAt: "cancelled_at",
});

/** The row of a cart, with the bytes that it takes. */
function rowOf(cart: Cart): NewRow & { readonly bytes: number } {
  const row = carts.rowOf(cart);
  const texts = [row.platform_url, row.lines, row.buyer, row.context] as string[];
  return { ...row, bytes: rowBytes(...texts) };
}

export async function insertCart(tx: Transaction, cart: Cart): Promise<void> {
  const row = rowOf(cart);
  await countBytes(tx, cart.siteKeyHash, cart.holder, row.bytes);
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

/** Locks a cart until the transaction ends, so that changes happen one after the other. */
export async function lockCart(tx: Transaction, cartId: string): Promise<void> {
  if (!CART_ID.test(cartId)) return;
  await tx.lock("SELECT cart_id FROM carts WHERE cart_id = ?", cartId);
}

/** Replaces the whole content of a cart. */
export async function replaceCart(tx: Transaction, cart: Cart): Promise<void> {
  const { cartId, siteKeyHash, holder } = cart;
  const row = rowOf(cart);
  const before = await selectNumber(tx, "bytes", "carts WHERE cart_id = ?", cartId);
  await carts.update(tx, row, ["lines", "buyer", "context", "bytes"], "cart_id = ?", cartId);
  await countBytes(tx, siteKeyHash, holder, row.bytes - before);
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
