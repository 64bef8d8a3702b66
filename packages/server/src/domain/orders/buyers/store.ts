import type { Transaction } from "../../../infra/db/database.js";
import { type Condition, deleterOf } from "../../../infra/db/statements.js";
import type { Order } from "../order.js";

/** Replaces what the buyer of an order is found by: keyed digests of the address and of the words of the name. */
export async function writeOrderBuyer(
  tx: Transaction,
  { siteKeyHash, orderId }: Pick<Order, "siteKeyHash" | "orderId">,
  macs: readonly string[],
): Promise<void> {
  await eraseOrderBuyer(tx, orderId);
  const rows = macs.map((mac) => ({
    site_key_hash: siteKeyHash,
    buyer_mac: mac,
    order_id: orderId,
  }));
  if (rows.length > 0) await tx.insert("order_buyers", rows);
}

export async function eraseOrderBuyer(tx: Transaction, orderId: string): Promise<void> {
  await tx.run("DELETE FROM order_buyers WHERE order_id = ?", orderId);
}

/** The orders of a site whose buyer is found by a digest. */
export const boughtBy = (siteKeyHash: string, mac: string): Condition => ({
  sql: "order_id IN (SELECT order_id FROM order_buyers WHERE site_key_hash = ? AND buyer_mac = ?)",
  values: [siteKeyHash, mac],
});

export const deleteOrderBuyers = deleterOf("order_buyers");
