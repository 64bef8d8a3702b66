import type { Database, ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { type Condition, equals, rowExists } from "../../infra/db/statements.js";
import { AMOUNT, flag, json, type ListOrder, type ListPage, Table } from "../../infra/db/table.js";
import { DAY_MS } from "../../infra/time.js";
import { boughtBy } from "./buyers/store.js";
import {
  ORDER_TOPIC,
  type Order,
  type OrderSort,
  type OrderStatus,
  type REFUND_STATES,
} from "./order.js";

/** Card authorizations last about a week. This is assumed where the end is unknown. */
const AUTHORIZED_MS_MAX = 7 * DAY_MS;

const orders = new Table<Order>("orders", {
  orderId: "order_id",
  number: "number",
  siteKeyHash: "site_key_hash",
  decisionId: "decision_id",
  attemptId: "attempt_id",
  checkoutId: "checkout_id",
  pageId: "page_id",
  actorId: "actor_id",
  skill: "skill",
  protocol: "protocol",
  mandateId: "mandate_id",
  items: json("items"),
  amount: AMOUNT,
  payment: "payment",
  expiresAt: "lapses_at",
  capturedMinor: "captured_minor",
  refundedMinor: "refunded_minor",
  paymentChangedAt: "payment_changed_at",
  createdAt: "created_at",
  revision: "revision",
  status: "status",
  erasedAt: "erased_at",
  inShop: flag("in_shop"),
  shopOrderId: "shop_order_id",
});

/** The number before the first of a site: four digits look like the number of an order from the start. */
const NUMBER_BEFORE_FIRST = 1000;
const NUMBERS = "order_numbers";
const unnumbered = { last: NUMBER_BEFORE_FIRST };

/** What {@link nextOrderNumber} reads. */
export function readOfOrderNumber(siteKeyHash: string): ExpectedRead {
  const key = { site_key_hash: siteKeyHash };
  return { kind: "hold", table: NUMBERS, key, otherwise: unnumbered };
}

/** Takes the next number of a site. Two orders at the same time wait for each other. */
export async function nextOrderNumber(tx: Transaction, siteKeyHash: string): Promise<number> {
  const key = { site_key_hash: siteKeyHash };
  const row = await tx.hold(NUMBERS, key, unnumbered);
  const number = (row?.last as number) + 1;
  await tx.set(NUMBERS, key, { last: number });
  return number;
}

export async function insertOrder(tx: Transaction, order: Order): Promise<void> {
  await orders.insert(tx, [order]);
  tx.announce(ORDER_TOPIC, order.siteKeyHash);
}

export const orderById = orders.ofSiteBy("order_id");

export const orderByPage = orders.ofSiteBy("page_id");

export const orderOfDecision = orders.by("decision_id");

export const orderOfAttempt = orders.by("attempt_id");

/** The orders of a site with these ids, of their own, of their payment or of their decision. */
export function ordersAmong(
  db: Queries,
  siteKeyHash: string,
  column: "order_id" | "attempt_id" | "decision_id",
  ids: readonly string[],
): Promise<Order[]> {
  return orders.among(db, siteKeyHash, column, ids);
}

export function hasOrders(db: Queries, siteKeyHash: string): Promise<boolean> {
  return rowExists(db, "orders WHERE site_key_hash = ?", siteKeyHash);
}

/** Locks an order until the transaction ends, so that changes happen one after the other. */
export function lockOrder(
  tx: Transaction,
  siteKeyHash: string,
  orderId: string,
): Promise<Order | undefined> {
  return orders.lock(tx, "WHERE order_id = ? AND site_key_hash = ?", orderId, siteKeyHash);
}

/** Increments the revision of a locked order. */
export async function writeRevision(tx: Transaction, order: Order): Promise<void> {
  await orders.update(
    tx,
    orders.rowOf(order),
    ["revision", "status", "refunded_minor"],
    "order_id = ?",
    order.orderId,
  );
  tx.announce(ORDER_TOPIC, order.siteKeyHash);
}

/** Writes the new state of an order's authorization. */
export async function moveOrder(tx: Transaction, order: Order): Promise<void> {
  const columns = ["payment", "lapses_at", "captured_minor", "payment_changed_at"];
  await orders.update(tx, orders.rowOf(order), columns, "order_id = ?", order.orderId);
}

/** Orders whose authorization expires before a time, and whose owner has not been notified. */
export function expiringOrders(db: Queries, before: number, limit: number): Promise<Order[]> {
  return orders.all(
    db,
    `WHERE payment = 'authorized' AND lapses_at <= ? AND lapse_told_at IS NULL
     ORDER BY lapses_at LIMIT ?`,
    before,
    limit,
  );
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
export function overdueOrders(db: Queries, now: number, limit: number): Promise<Order[]> {
  return orders.all(
    db,
    `WHERE payment = 'authorized'
       AND COALESCE(follow_at, lapses_at, created_at + ${AUTHORIZED_MS_MAX}) <= ?
     ORDER BY COALESCE(follow_at, lapses_at, created_at) LIMIT ?`,
    now,
    limit,
  );
}

/** Postpones the next check of an order, so that other orders are checked first. */
export async function recheckOrderLater(
  tx: Transaction,
  orderId: string,
  at: number,
): Promise<void> {
  await tx.run("UPDATE orders SET follow_at = ? WHERE order_id = ?", at, orderId);
}

/** Notes that the personal data of an order is erased. */
export async function markErased(
  tx: Transaction,
  { orderId, siteKeyHash }: Pick<Order, "orderId" | "siteKeyHash">,
  now: number,
): Promise<void> {
  await tx.run("UPDATE orders SET erased_at = ? WHERE order_id = ?", now, orderId);
  tx.announce(ORDER_TOPIC, siteKeyHash);
}

/** Orders of a site that were created before a time and still have personal data, the oldest first. */
export function ordersNotErased(
  db: Queries,
  siteKeyHash: string,
  before: number,
  { after, limit }: ListPage,
): Promise<Order[]> {
  return orders.page(
    db,
    [
      equals("site_key_hash", siteKeyHash),
      { sql: "erased_at IS NULL AND created_at <= ?", values: [before] },
    ],
    { by: ["created_at", "order_id"], newestFirst: false },
    { after, limit },
  );
}

/** An absent property does not restrict the list. */
export interface OrderFilter {
  readonly status?: OrderStatus | (typeof REFUND_STATES)[number] | undefined;
  readonly payment?: Order["payment"] | undefined;
  readonly actorId?: string | undefined;
  readonly number?: number | undefined;
  /** When it was placed, from the first moment until before the second. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Digests that all have to belong to the buyer. */
  readonly buyerMacs?: readonly string[] | undefined;
  readonly sort?: OrderSort | undefined;
}

const SORTED_BY: Readonly<Record<OrderSort, ListOrder>> = {
  "-created_at": { by: ["created_at", "order_id"], newestFirst: true },
  created_at: { by: ["created_at", "order_id"], newestFirst: false },
  "-amount": { by: ["amount_minor", "order_id"], newestFirst: true },
  amount: { by: ["amount_minor", "order_id"], newestFirst: false },
};

const PAID = "COALESCE(captured_minor, amount_minor)";
const STATES: Readonly<Record<(typeof REFUND_STATES)[number], Condition>> = {
  refunded: { sql: `refunded_minor > 0 AND refunded_minor >= ${PAID}`, values: [] },
  partly_refunded: { sql: `refunded_minor > 0 AND refunded_minor < ${PAID}`, values: [] },
};

/** The time that a list is limited to, without a bound that the place in the list makes needless. */
function placedIn({ from, to, sort }: OrderFilter, after: ListPage["after"]) {
  // With two bounds in one direction, the database may scan from the farther one.
  const passed = after?.createdAt;
  const isEnded = sort === "-created_at" && passed !== undefined && to !== undefined && passed < to;
  const isBegun =
    sort === "created_at" && passed !== undefined && from !== undefined && passed >= from;
  return [
    from === undefined || isBegun ? undefined : { sql: "created_at >= ?", values: [from] },
    to === undefined || isEnded ? undefined : { sql: "created_at < ?", values: [to] },
  ];
}

/** On SQLite, the index to read few orders by. Otherwise it would pass all orders of the site by time. */
function fewBy(
  db: Pick<Database, "dialect">,
  { status, buyerMacs }: OrderFilter,
): string | undefined {
  if (db.dialect !== "sqlite") return undefined;
  if (buyerMacs !== undefined) return "sqlite_autoindex_orders_1";
  return status === "refunded" || status === "partly_refunded" ? "orders_refunded" : undefined;
}

export function listOrders(
  db: Database,
  siteKeyHash: string,
  filter: OrderFilter,
  page: ListPage,
): Promise<Order[]> {
  const { status, payment, actorId, number, buyerMacs = [], sort = "-created_at" } = filter;
  const isRefunded = status === "refunded" || status === "partly_refunded";
  const where = [
    equals("site_key_hash", siteKeyHash),
    isRefunded ? STATES[status] : equals("status", status),
    equals("payment", payment),
    equals("actor_id", actorId),
    equals("number", number),
    ...placedIn({ ...filter, sort }, page.after),
    ...buyerMacs.map((mac) => boughtBy(siteKeyHash, mac)),
  ];
  return orders.page(db, where, { ...SORTED_BY[sort], sqliteIndex: fewBy(db, filter) }, page);
}

/** Writes the id that an order has in the shop system. */
export async function writeShopOrderId(
  db: Queries,
  { siteKeyHash, orderId, shopOrderId }: Pick<Order, "siteKeyHash" | "orderId" | "shopOrderId">,
): Promise<void> {
  await db.run(
    "UPDATE orders SET shop_order_id = ? WHERE site_key_hash = ? AND order_id = ?",
    shopOrderId,
    siteKeyHash,
    orderId,
  );
}
