import type { Checkout } from "../../domain/checkouts/checkout.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import {
  type Adjustment,
  type LineState,
  lineStates,
  type OrderEvent,
  orderStatus,
  refundedOf,
} from "../../domain/orders/adjustments/adjustment.js";
import { adjustmentsOf, eventsOf } from "../../domain/orders/adjustments/store.js";
import type { Order } from "../../domain/orders/order.js";
import { writeRevision } from "../../domain/orders/store.js";
import { accountById } from "../../domain/payments/accounts/store.js";
import { paymentById } from "../../domain/payments/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";

/** An order with its checkout, events and adjustments. */
export interface WholeOrder {
  readonly order: Order;
  /** Null if a mandate ordered. */
  readonly checkout: Checkout | null;
  readonly events: readonly OrderEvent[];
  readonly adjustments: readonly Adjustment[];
  readonly lines: readonly LineState[];
}

async function checkoutOf(db: Queries, { siteKeyHash, checkoutId }: Order) {
  if (checkoutId === null) return null;
  return (await checkoutById(db, siteKeyHash, checkoutId)) ?? null;
}

/** An order that was just created, without events or adjustments. */
export async function freshOrder(db: Queries, order: Order): Promise<WholeOrder> {
  const checkout = await checkoutOf(db, order);
  return { order, checkout, events: [], adjustments: [], lines: lineStates(order.items, [], []) };
}

export async function wholeOrder(db: Queries, order: Order): Promise<WholeOrder> {
  const { orderId, items } = order;
  const checkout = await checkoutOf(db, order);
  const events = await eventsOf(db, orderId);
  const adjustments = await adjustmentsOf(db, orderId);
  return { order, checkout, events, adjustments, lines: lineStates(items, events, adjustments) };
}

/** Increases the revision of a locked order after a change, and returns the order as it is now. */
export async function revise(tx: Transaction, lockedOrder: Order): Promise<WholeOrder> {
  const whole = await wholeOrder(tx, lockedOrder);
  const order = {
    ...lockedOrder,
    revision: lockedOrder.revision + 1,
    status: orderStatus(whole.lines),
    refundedMinor: refundedOf(whole.adjustments),
  };
  await writeRevision(tx, order);
  return { ...whole, order };
}

/** How an order was paid. */
export interface OrderPayment {
  /** In test mode: by the sandbox, or by a test account. */
  readonly isTest: boolean;
  /** By a person on the provider's page, and not by the agent or platform that ordered. */
  readonly byPerson: boolean;
}

export async function orderPayment(db: Queries, { attemptId }: Order): Promise<OrderPayment> {
  const payment = await paymentById(db, attemptId);
  const byPerson = payment?.hosted === true;
  if (payment === undefined || payment.provider === "sandbox") return { isTest: true, byPerson };
  const account = payment.accountId === null ? null : await accountById(db, payment.accountId);
  return { isTest: account?.live === false, byPerson };
}

/** Whether an order was paid in test mode. */
export async function isTestOrder(db: Queries, order: Order): Promise<boolean> {
  return (await orderPayment(db, order)).isTest;
}
