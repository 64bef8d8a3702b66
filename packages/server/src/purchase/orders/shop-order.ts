import type { JsonValue } from "@gatehouse/protocol";
import type { ShopOrder } from "../../connectors/shop/messages.js";
import type { Context } from "../../context.js";
import { agentById } from "../../domain/agents/store.js";
import { type Checkout, chosenAddress } from "../../domain/checkouts/checkout.js";
import type { Adjustment } from "../../domain/orders/adjustments/adjustment.js";
import { orderById } from "../../domain/orders/store.js";
import { paymentById } from "../../domain/payments/store.js";
import { isoTime } from "../../infra/clock.js";
import type { Queries } from "../../infra/db/database.js";
import { isTestOrder, type WholeOrder, wholeOrder } from "./whole-order.js";

const textOrNull = (value: JsonValue | undefined) => (typeof value === "string" ? value : null);

function buyerOf({ content: { buyer } }: Checkout): ShopOrder["buyer"] {
  const { email, first_name, last_name, phone_number } = buyer;
  return {
    email: textOrNull(email),
    first_name: textOrNull(first_name),
    last_name: textOrNull(last_name),
    phone: textOrNull(phone_number),
  };
}

function destinationOf({ content: { delivery } }: Checkout): ShopOrder["destination"] {
  const address = chosenAddress(delivery);
  if (address === undefined) return null;
  const { street_address, extended_address, address_locality, address_region } = address;
  return {
    country: textOrNull(address.address_country),
    region: textOrNull(address_region),
    postal_code: textOrNull(address.postal_code),
    city: textOrNull(address_locality),
    street: textOrNull(street_address),
    street_2: textOrNull(extended_address),
    first_name: textOrNull(address.first_name),
    last_name: textOrNull(address.last_name),
    phone: textOrNull(address.phone_number),
  };
}

function refundsOf(adjustments: readonly Adjustment[]): ShopOrder["refunds"] {
  return adjustments
    .filter(({ kind }) => kind === "refund")
    .map(({ adjustmentId, amountMinor, status, shopEventId }) => ({
      refund_id: adjustmentId,
      amount_minor: amountMinor ?? 0,
      state: status,
      origin_event_id: shopEventId,
    }));
}

/** What was added to the goods of an order by mandate. Nobody names its taxes and discounts apart. */
function addedMinor({ order, lines }: WholeOrder): number {
  const goods = lines.reduce((sum, { quantity, unit_minor }) => sum + quantity * unit_minor, 0);
  return order.amount.minor - goods;
}

function pricesOf(whole: WholeOrder) {
  const { checkout } = whole;
  const { amount } = whole.order;
  const { quote, content } = checkout ?? {};
  const option = quote?.options.find(({ id }) => id === content?.delivery.optionId);
  const added = addedMinor(whole);
  const discount = quote ? (quote.totals.discountMinor ?? 0) : Math.max(0, -added);
  return {
    currency: amount.currency,
    option: option
      ? { id: option.id, title: option.title, amount_minor: option.amountMinor }
      : null,
    discount_minor: discount,
    fee_minor: (quote?.totals.fees ?? []).reduce((sum, fee) => sum + fee.amountMinor, 0),
    tax_minor: quote?.totals.taxMinor ?? Math.max(0, added),
    total_minor: amount.minor,
  };
}

/** An order as its shop system gets it: whole, and as it is now. Undefined if it is gone. */
export async function shopOrder(
  { db }: Pick<Context, "db">,
  siteKeyHash: string,
  orderId: string,
): Promise<ShopOrder | undefined> {
  const order = await orderById(db, siteKeyHash, orderId);
  if (order === undefined) return undefined;
  const whole = await wholeOrder(db, order);
  const { checkout, lines, adjustments } = whole;
  return {
    order_id: orderId,
    number: order.number,
    revision: order.revision,
    reservation_id: order.attemptId,
    created_at: isoTime(order.createdAt),
    test: await isTestOrder(db, order),
    lines: lines.map((line) => ({
      line_id: line.lineId,
      product_id: line.id,
      title: line.title,
      quantity: line.quantity,
      cancelled: line.quantity - line.total,
      sent: line.fulfilled,
      unit_minor: line.unit_minor,
    })),
    ...pricesOf(whole),
    buyer: checkout && buyerOf(checkout),
    destination: checkout && destinationOf(checkout),
    agent: await agentOf(db, siteKeyHash, order.actorId),
    payment: await paymentOf(db, whole),
    refunds: refundsOf(adjustments),
  };
}

async function agentOf(db: Queries, siteKeyHash: string, id: string): Promise<ShopOrder["agent"]> {
  const agent = await agentById(db, siteKeyHash, id);
  return { id, name: agent?.name ?? id };
}

async function paymentOf(db: Queries, { order }: WholeOrder): Promise<ShopOrder["payment"]> {
  const payment = await paymentById(db, order.attemptId);
  return {
    state: order.payment,
    provider: payment?.provider ?? null,
    reference: payment?.reference ?? null,
    captured_minor: order.payment === "captured" ? (order.capturedMinor ?? order.amount.minor) : 0,
  };
}
