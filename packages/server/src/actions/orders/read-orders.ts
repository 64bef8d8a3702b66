import type { JsonObject, Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { hasRole, type Principal } from "../../domain/access/principal.js";
import { isCreatedBy, type PlatformCaller } from "../../domain/checkouts/platform.js";
import type { OrderNote } from "../../domain/orders/adjustments/adjustment.js";
import { notesOf } from "../../domain/orders/adjustments/store.js";
import { type Order, orderLabel } from "../../domain/orders/order.js";
import {
  type OrderFilter,
  orderById,
  listOrders as selectOrders,
} from "../../domain/orders/store.js";
import type { Message } from "../../domain/outbox/message.js";
import { messagesAbout } from "../../domain/outbox/store.js";
import type { Queries } from "../../infra/db/database.js";
import { orderSnapshot } from "../../purchase/orders/order-snapshot.js";
import {
  type OrderPayment,
  orderPayment,
  type WholeOrder,
  wholeOrder,
} from "../../purchase/orders/whole-order.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** Messages shown with an order; the list of messages has all of them. */
const MESSAGES_MAX = 100;

/** A page of a site's orders, newest first. */
export function listOrders(
  { db }: Context,
  siteKeyHash: string,
  filter: OrderFilter,
  request: PageRequest,
): Promise<Result<Page<Order>, "invalid_request">> {
  return readPage(
    request,
    (page) => selectOrders(db, siteKeyHash, filter, page),
    ({ createdAt, orderId }) => ({ createdAt, id: orderId }),
  );
}

/** An order as a reader may see it: only owners see the buyer, the notes and the messages. */
export interface ShownOrder extends WholeOrder {
  readonly notes: readonly OrderNote[];
  readonly messages: readonly Message[];
  readonly paid: OrderPayment;
}

/** Undefined if the site has no such order. */
export async function showOrder(
  { db }: Context,
  { siteKeyHash, orderId }: Pick<Order, "siteKeyHash" | "orderId">,
  reader: Principal,
): Promise<ShownOrder | undefined> {
  const order = await orderById(db, siteKeyHash, orderId);
  if (order === undefined) return undefined;
  const whole = { ...(await wholeOrder(db, order)), paid: await orderPayment(db, order) };
  if (!hasRole(reader, "owner")) return { ...whole, checkout: null, notes: [], messages: [] };
  const notes = await notesOf(db, orderId);
  const messages = await messagesAbout(db, siteKeyHash, orderId, MESSAGES_MAX);
  return { ...whole, notes, messages };
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
