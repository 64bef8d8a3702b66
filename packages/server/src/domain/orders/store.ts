import type { Queries, Transaction } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";
import { ORDER_TOPIC, type Order, type OrderLine, type OrderStatus } from "./order.js";

/** Card authorizations last about a week. This is assumed where the end is unknown. */
const AUTHORIZED_MS_MAX = 7 * DAY_MS;

interface Row {
  order_id: string;
  site_key_hash: string;
  decision_id: string;
  attempt_id: string;
  checkout_id: string | null;
  actor_id: string;
  skill: string;
  protocol: string;
  mandate_id: string | null;
  items: string;
  amount_minor: number;
  currency: string;
  payment: Order["payment"];
  lapses_at: number | null;
  captured_minor: number | null;
  payment_changed_at: number | null;
  created_at: number;
  revision: number;
  status: OrderStatus;
}

function orderOf(row: Row): Order {
  return Object.freeze({
    orderId: row.order_id,
    siteKeyHash: row.site_key_hash,
    decisionId: row.decision_id,
    attemptId: row.attempt_id,
    checkoutId: row.checkout_id,
    actorId: row.actor_id,
    skill: row.skill,
    protocol: row.protocol,
    mandateId: row.mandate_id,
    items: JSON.parse(row.items) as OrderLine[],
    amount: Object.freeze({ minor: row.amount_minor, currency: row.currency }),
    payment: row.payment,
    expiresAt: row.lapses_at,
    capturedMinor: row.captured_minor,
    paymentChangedAt: row.payment_changed_at,
    createdAt: row.created_at,
    revision: row.revision,
    status: row.status,
  });
}

export async function insertOrder(tx: Transaction, order: Order): Promise<void> {
  await tx.insert("orders", [
    {
      order_id: order.orderId,
      site_key_hash: order.siteKeyHash,
      decision_id: order.decisionId,
      attempt_id: order.attemptId,
      checkout_id: order.checkoutId,
      actor_id: order.actorId,
      skill: order.skill,
      protocol: order.protocol,
      mandate_id: order.mandateId,
      items: JSON.stringify(order.items),
      amount_minor: order.amount.minor,
      currency: order.amount.currency,
      payment: order.payment,
      lapses_at: order.expiresAt,
      captured_minor: order.capturedMinor,
      created_at: order.createdAt,
      revision: order.revision,
      status: order.status,
    },
  ]);
  await tx.announce(ORDER_TOPIC, order.siteKeyHash);
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

export async function orderOfAttempt(db: Queries, attemptId: string): Promise<Order | undefined> {
  const row = await db.get<Row>("SELECT * FROM orders WHERE attempt_id = ?", attemptId);
  return row && orderOf(row);
}

/** Locks an order until the transaction ends, so that changes happen one after the other. */
export async function lockOrder(
  tx: Transaction,
  siteKeyHash: string,
  orderId: string,
): Promise<Order | undefined> {
  const sql = "SELECT * FROM orders WHERE order_id = ? AND site_key_hash = ?";
  const [row] = await tx.lock<Row>(sql, orderId, siteKeyHash);
  return row && orderOf(row);
}

/** Increments the revision of a locked order. */
export async function writeRevision(
  tx: Transaction,
  { orderId, siteKeyHash, revision, status }: Order,
): Promise<void> {
  const sql = "UPDATE orders SET revision = ?, status = ? WHERE order_id = ?";
  await tx.run(sql, revision, status, orderId);
  await tx.announce(ORDER_TOPIC, siteKeyHash);
}

/** Writes the new state of an order's authorization. */
export async function moveOrder(
  tx: Transaction,
  { orderId, payment, expiresAt, capturedMinor, paymentChangedAt }: Order,
): Promise<void> {
  await tx.run(
    `UPDATE orders SET payment = ?, lapses_at = ?, captured_minor = ?, payment_changed_at = ?
     WHERE order_id = ?`,
    payment,
    expiresAt,
    capturedMinor,
    paymentChangedAt,
    orderId,
  );
}

/** Orders whose authorization expires before a time, and whose owner has not been notified. */
export async function expiringOrders(db: Queries, before: number, limit: number): Promise<Order[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM orders WHERE payment = 'authorized' AND lapses_at <= ? AND lapse_told_at IS NULL
     ORDER BY lapses_at LIMIT ?`,
    before,
    limit,
  );
  return rows.map(orderOf);
}

/** Returns false if another process has already notified the owner. */
export async function noteExpiryNotified(
  tx: Transaction,
  orderId: string,
  now: number,
): Promise<boolean> {
  const sql = "UPDATE orders SET lapse_told_at = ? WHERE order_id = ? AND lapse_told_at IS NULL";
  return (await tx.run(sql, now, orderId)) === 1;
}

/** Orders whose authorization should have expired, but no provider has reported it. */
export async function overdueOrders(db: Queries, now: number, limit: number): Promise<Order[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM orders WHERE payment = 'authorized'
       AND COALESCE(follow_at, lapses_at, created_at + ${AUTHORIZED_MS_MAX}) <= ?
     ORDER BY COALESCE(follow_at, lapses_at, created_at) LIMIT ?`,
    now,
    limit,
  );
  return rows.map(orderOf);
}

/** Postpones the next check of an order, so that other orders are checked first. */
export async function recheckOrderLater(
  tx: Transaction,
  orderId: string,
  at: number,
): Promise<void> {
  await tx.run("UPDATE orders SET follow_at = ? WHERE order_id = ?", at, orderId);
}

/** An absent property does not restrict the list. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  readonly payment?: Order["payment"] | undefined;
  readonly actorId?: string | undefined;
}

export async function listOrders(
  db: Queries,
  siteKeyHash: string,
  filter: OrderFilter,
  page: {
    readonly after: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<Order[]> {
  const { createdAt, id } = page.after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: "" };
  const [status, payment] = [filter.status ?? null, filter.payment ?? null];
  const actorId = filter.actorId ?? null;
  const rows = await db.all<Row>(
    `SELECT * FROM orders WHERE site_key_hash = ? AND (created_at, order_id) < (?, ?)
       AND (CAST(? AS TEXT) IS NULL OR status = ?) AND (CAST(? AS TEXT) IS NULL OR payment = ?)
       AND (CAST(? AS TEXT) IS NULL OR actor_id = ?)
     ORDER BY created_at DESC, order_id DESC LIMIT ?`,
    siteKeyHash,
    createdAt,
    id,
    status,
    status,
    payment,
    payment,
    actorId,
    actorId,
    page.limit,
  );
  return rows.map(orderOf);
}
