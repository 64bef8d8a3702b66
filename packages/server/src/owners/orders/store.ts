import type { Queries, Transaction } from "../../platform/db/database.js";
import type { Order, OrderLine } from "./order.js";

interface Row {
  order_id: string;
  site_key_hash: string;
  decision_id: string;
  attempt_id: string;
  actor_id: string;
  skill: string;
  protocol: string;
  mandate_id: string | null;
  items: string;
  amount_minor: number;
  currency: string;
  payment: Order["payment"];
  created_at: number;
}

function orderOf(row: Row): Order {
  return Object.freeze({
    orderId: row.order_id,
    siteKeyHash: row.site_key_hash,
    decisionId: row.decision_id,
    attemptId: row.attempt_id,
    actorId: row.actor_id,
    skill: row.skill,
    protocol: row.protocol,
    mandateId: row.mandate_id,
    items: JSON.parse(row.items) as OrderLine[],
    amount: Object.freeze({ minor: row.amount_minor, currency: row.currency }),
    payment: row.payment,
    createdAt: row.created_at,
  });
}

export async function insertOrder(tx: Transaction, order: Order): Promise<void> {
  await tx.insert("orders", [
    {
      order_id: order.orderId,
      site_key_hash: order.siteKeyHash,
      decision_id: order.decisionId,
      attempt_id: order.attemptId,
      actor_id: order.actorId,
      skill: order.skill,
      protocol: order.protocol,
      mandate_id: order.mandateId,
      items: JSON.stringify(order.items),
      amount_minor: order.amount.minor,
      currency: order.amount.currency,
      payment: order.payment,
      created_at: order.createdAt,
    },
  ]);
}

export async function orderById(
  db: Queries,
  siteKeyHash: string,
  orderId: string,
): Promise<Order | undefined> {
  const sql = "SELECT * FROM orders WHERE order_id = ? AND site_key_hash = ?";
  const row = await db.get<Row>(sql, orderId, siteKeyHash);
  return row && orderOf(row);
}

export async function orderOfDecision(db: Queries, decisionId: string): Promise<Order | undefined> {
  const row = await db.get<Row>("SELECT * FROM orders WHERE decision_id = ?", decisionId);
  return row && orderOf(row);
}

/** Orders of a site, the newest first. */
export async function listOrders(
  db: Queries,
  siteKeyHash: string,
  page: {
    readonly after: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<Order[]> {
  const { createdAt, id } = page.after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: "" };
  const rows = await db.all<Row>(
    `SELECT * FROM orders WHERE site_key_hash = ? AND (created_at, order_id) < (?, ?)
     ORDER BY created_at DESC, order_id DESC LIMIT ?`,
    ...[siteKeyHash, createdAt, id, page.limit],
  );
  return rows.map(orderOf);
}
