import type { Money } from "@gatehouse/protocol";
import type { Queries } from "../../../infra/db/database.js";
import type { OrderLine } from "../order.js";

/** What one order sold. */
export interface Sale {
  readonly createdAt: number;
  readonly actorId: string;
  readonly items: readonly OrderLine[];
  readonly amount: Money;
}

interface SaleRow {
  readonly created_at: number;
  readonly actor_id: string;
  readonly items: string;
  readonly amount_minor: number;
  readonly currency: string;
}

interface SalesFilter {
  /** Included. */
  readonly from: number;
  /** Excluded. */
  readonly to: number;
  /** Orders of real money, or test orders. */
  readonly live: boolean;
}

/** Orders that were neither cancelled nor lost their payment, the newest first. */
export async function listSales(
  db: Queries,
  siteKeyHash: string,
  { from, to, live }: SalesFilter,
  limit: number,
): Promise<Sale[]> {
  const rows = await db.all<SaleRow>(
    `SELECT orders.created_at, orders.actor_id, orders.items, orders.amount_minor, orders.currency
     FROM orders
     JOIN payments ON payments.attempt_id = orders.attempt_id
     LEFT JOIN processor_accounts ON processor_accounts.account_id = payments.account_id
     WHERE orders.site_key_hash = ? AND orders.created_at >= ? AND orders.created_at < ?
       AND orders.status <> 'cancelled' AND orders.payment IN ('authorized', 'captured')
       AND COALESCE(processor_accounts.live, 0) = ?
     ORDER BY orders.created_at DESC, orders.order_id DESC LIMIT ?`,
    siteKeyHash,
    from,
    to,
    live ? 1 : 0,
    limit,
  );
  return rows.map(({ created_at, actor_id, items, amount_minor, currency }) => ({
    createdAt: created_at,
    actorId: actor_id,
    items: JSON.parse(items),
    amount: { minor: amount_minor, currency },
  }));
}
