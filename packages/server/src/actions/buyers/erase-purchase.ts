import { renderUcp } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { erasedCart, erasedCheckout } from "../../domain/checkouts/buyers/erased.js";
import type { Cart } from "../../domain/checkouts/carts/cart.js";
import { replaceCart } from "../../domain/checkouts/carts/store.js";
import { type Checkout, tryIdsOf } from "../../domain/checkouts/checkout.js";
import { writeCheckout } from "../../domain/checkouts/store.js";
import { decisionIdsOfCheckout } from "../../domain/decisions/store.js";
import { eraseOrderWords } from "../../domain/orders/adjustments/store.js";
import { eraseOrderBuyer } from "../../domain/orders/buyers/store.js";
import { deletePlannedShipment } from "../../domain/orders/planned/store.js";
import { markErased } from "../../domain/orders/store.js";
import {
  deleteBuyerMails,
  deleteReviewMails,
  replacePlatformMessages,
} from "../../domain/outbox/store.js";
import { eraseReasonsOfOrder } from "../../domain/payments/changes/store.js";
import { eraseReviewNotes, reviewsOfDecisions } from "../../domain/reviews/store.js";
import { replaceReplies } from "../../domain/ucp-replies/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { orderSnapshot } from "../../purchase/orders/order-snapshot.js";
import { type WholeOrder, wholeOrder } from "../../purchase/orders/whole-order.js";
import { shownReply } from "../checkout/idempotent.js";

/** How much was erased, by kind. */
export type Erased = Readonly<Record<(typeof ERASED_KINDS)[number], number>>;

export const ERASED_KINDS = [
  "orders",
  "checkouts",
  "carts",
  "notes",
  "messages",
  "replies",
] as const;

export const NOTHING_ERASED: Erased = Object.freeze({
  orders: 0,
  checkouts: 0,
  carts: 0,
  notes: 0,
  messages: 0,
  replies: 0,
});

export function addErased(a: Erased, b: Partial<Erased>): Erased {
  const sum = (kind: keyof Erased) => a[kind] + (b[kind] ?? 0);
  return {
    orders: sum("orders"),
    checkouts: sum("checkouts"),
    carts: sum("carts"),
    notes: sum("notes"),
    messages: sum("messages"),
    replies: sum("replies"),
  };
}

/** The decisions about a checkout, which reviewers may have written notes about. */
export function decisionsOf(
  db: Queries,
  { siteKeyHash, checkoutId, decisionId }: Checkout,
): Promise<readonly string[]> {
  return decisionIdsOfCheckout(db, siteKeyHash, { tryIds: tryIdsOf(checkoutId), decisionId });
}

/** Erases the buyer of a checkout, in its row and in the replies that are stored for repeated requests. */
export async function eraseCheckout(tx: Transaction, checkout: Checkout): Promise<Erased> {
  const { siteKeyHash, checkoutId, orderId } = checkout;
  await writeCheckout(tx, erasedCheckout(checkout));
  if (orderId !== null) await eraseOrderBuyer(tx, orderId);
  const decisions = await decisionsOf(tx, checkout);
  const notes = await eraseReviewNotes(tx, siteKeyHash, decisions);
  const reviews = await reviewsOfDecisions(tx, siteKeyHash, decisions);
  const reviewIds = reviews.map(({ escalationId }) => escalationId);
  const messages = await deleteReviewMails(tx, siteKeyHash, reviewIds);
  // A repeated request is answered with the checkout as it is then.
  const replies = await replaceReplies(tx, siteKeyHash, checkoutId, shownReply(checkoutId));
  return addErased(NOTHING_ERASED, { checkouts: 1, notes, messages, replies });
}

export async function eraseCart(tx: Transaction, cart: Cart): Promise<Erased> {
  const { siteKeyHash, cartId } = cart;
  await replaceCart(tx, erasedCart(cart));
  const replies = await replaceReplies(tx, siteKeyHash, cartId, shownReply(cartId));
  return addErased(NOTHING_ERASED, { carts: 1, replies });
}

/** The last messages to the platform about the order. Sent again, they have no buyer. */
async function eraseTold({ config }: Context, tx: Transaction, { order }: WholeOrder) {
  const whole = await wholeOrder(tx, order);
  const { checkout } = whole;
  const mails = await deleteBuyerMails(tx, order.orderId);
  if (checkout === null) return mails;
  const body = renderUcp(checkout.platform.version, orderSnapshot(config, whole, checkout));
  return mails + (await replacePlatformMessages(tx, order.orderId, JSON.stringify(body)));
}

/** Erases the personal data of a locked order that has ended. Items, amounts, ids and records stay. */
export async function eraseOrder(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  now: number,
): Promise<Erased> {
  const { order, checkout } = whole;
  const erased = checkout === null ? NOTHING_ERASED : await eraseCheckout(tx, checkout);
  const reasons = await eraseReasonsOfOrder(tx, order.orderId);
  const notes = await eraseOrderWords(tx, order.orderId, reasons);
  await deletePlannedShipment(tx, order);
  const own = await eraseReviewNotes(tx, order.siteKeyHash, [order.decisionId]);
  const messages = await eraseTold(context, tx, whole);
  await markErased(tx, order, now);
  return addErased({ ...erased, checkouts: 0 }, { orders: 1, notes: notes + own, messages });
}
