import type { JsonObject, Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { hasRole, type Principal } from "../../domain/access/principal.js";
import { buyerName } from "../../domain/checkouts/buyers/store.js";
import { isCreatedBy, type PlatformCaller } from "../../domain/checkouts/platform.js";
import { checkoutsAmong } from "../../domain/checkouts/store.js";
import type { OrderNote } from "../../domain/orders/adjustments/adjustment.js";
import { notesOf } from "../../domain/orders/adjustments/store.js";
import { type Order, orderLabel } from "../../domain/orders/order.js";
import type { PlannedShipment } from "../../domain/orders/planned/planned-shipment.js";
import { plannedShipment } from "../../domain/orders/planned/store.js";
import {
  type OrderFilter,
  orderById,
  listOrders as selectOrders,
} from "../../domain/orders/store.js";
import type { Message } from "../../domain/outbox/message.js";
import { messagesAbout } from "../../domain/outbox/store.js";
import { testAttempts } from "../../domain/payments/store.js";
import { productsByIds } from "../../domain/products/store.js";
import type { Queries } from "../../infra/db/database.js";
import { orderSnapshot } from "../../purchase/orders/order-snapshot.js";
import { type PaymentFacts, paymentFacts } from "../../purchase/orders/payment-facts.js";
import {
  type OrderPayment,
  orderPayment,
  type WholeOrder,
  wholeOrder,
} from "../../purchase/orders/whole-order.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** Messages shown with an order; the list of messages has all of them. */
const MESSAGES_MAX = 100;

/** An order in a list. */
export interface ListedOrder extends Order {
  /** Whether it was paid in test mode. */
  readonly isTest: boolean;
  /** Null if it is not known, or the reader is not an owner. */
  readonly buyerName: string | null;
}

/** The names of buyers, by order. */
async function buyerNames(db: Queries, siteKeyHash: string, orders: readonly Order[]) {
  const ids = orders.flatMap(({ checkoutId }) => checkoutId ?? []);
  const checkouts = await checkoutsAmong(db, siteKeyHash, ids);
  return ({ checkoutId }: Order) => {
    const checkout = checkouts.get(checkoutId ?? "");
    return checkout === undefined ? null : buyerName(checkout.content);
  };
}

/** A page of a site's orders, newest first unless sorted otherwise. */
export function listOrders(
  { db }: Context,
  siteKeyHash: string,
  filter: OrderFilter,
  request: PageRequest,
  reader: Principal,
): Promise<Result<Page<ListedOrder>, "invalid_request">> {
  const byAmount = filter.sort?.endsWith("amount") === true;
  return readPage(
    request,
    async (page) => {
      const orders = await selectOrders(db, siteKeyHash, filter, page);
      const tests = await testAttempts(
        db,
        orders.map(({ attemptId }) => attemptId),
      );
      const nameOf = hasRole(reader, "owner")
        ? await buyerNames(db, siteKeyHash, orders)
        : () => null;
      return orders.map((order) => ({
        ...order,
        isTest: tests.has(order.attemptId),
        buyerName: nameOf(order),
      }));
    },
    // The place in a list that is sorted by amount is an amount.
    ({ createdAt, amount, orderId }) => ({
      createdAt: byAmount ? amount.minor : createdAt,
      id: orderId,
    }),
  );
}

/** An order as a reader may see it: only owners see the buyer, the notes and the messages. */
export interface ShownOrder extends WholeOrder {
  readonly notes: readonly OrderNote[];
  readonly messages: readonly Message[];
  readonly paid: OrderPayment;
  /** The pictures of the lines, in their order; null where there is none. */
  readonly images: readonly (string | null)[];
  /** Undefined if the reader is not an owner. */
  readonly payment: PaymentFacts | undefined;
  /** A shipment that can still be undone, or that did not take effect. */
  readonly planned: PlannedShipment | undefined;
}

/** Pictures as they were bought, or as the products have them now. */
async function imagesOf(db: Queries, { order, checkout }: WholeOrder): Promise<(string | null)[]> {
  const ids = order.items.map(({ id }) => id);
  const products = await productsByIds(db, order.siteKeyHash, ids);
  return order.items.map(({ id }, i) => {
    const quoted = checkout?.quote.lines[i];
    const bought = typeof quoted === "object" ? quoted.imageUrl : null;
    return bought ?? products.get(id)?.imageUrl ?? null;
  });
}

/** Undefined if the site has no such order. */
export async function showOrder(
  context: Context,
  { siteKeyHash, orderId }: Pick<Order, "siteKeyHash" | "orderId">,
  reader: Principal,
): Promise<ShownOrder | undefined> {
  const { db } = context;
  const order = await orderById(db, siteKeyHash, orderId);
  if (order === undefined) return undefined;
  const whole = await wholeOrder(db, order);
  const shown = {
    ...whole,
    paid: await orderPayment(db, order),
    images: await imagesOf(db, whole),
  };
  if (!hasRole(reader, "owner")) {
    return {
      ...shown,
      checkout: null,
      notes: [],
      messages: [],
      payment: undefined,
      planned: undefined,
    };
  }
  const notes = await notesOf(db, orderId);
  const messages = await messagesAbout(db, siteKeyHash, orderId, MESSAGES_MAX);
  const planned = await plannedShipment(db, siteKeyHash, orderId);
  return { ...shown, notes, messages, planned, payment: await paymentFacts(context, whole) };
}

/** An order as people call it; undefined if the site has no such order. */
export async function labelOfOrder(
  db: Queries,
  { siteKeyHash, orderId }: Pick<Order, "siteKeyHash" | "orderId">,
): Promise<string | undefined> {
  const order = await orderById(db, siteKeyHash, orderId);
  return order && orderLabel(order);
}

const ORDER_ID = /^[\w-]{1,80}$/;

/** An order as the platform that placed it sees it. For any other caller there is no such order. */
export async function platformOrder(
  { config, db }: Context,
  siteKeyHash: string,
  orderId: string,
  platform: PlatformCaller,
): Promise<JsonObject | undefined> {
  if (!ORDER_ID.test(orderId)) return undefined;
  const order = await orderById(db, siteKeyHash, orderId);
  if (order === undefined) return undefined;
  const whole = await wholeOrder(db, order);
  const { checkout } = whole;
  if (checkout === null || !isCreatedBy(checkout.platform, platform)) return undefined;
  return orderSnapshot(config, whole, checkout);
}
