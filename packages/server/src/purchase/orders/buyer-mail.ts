import type { OrderEvent } from "../../domain/orders/adjustments/adjustment.js";
import { orderLabel } from "../../domain/orders/order.js";
import type { Site } from "../../domain/sites/site.js";
import { unlinked } from "../../infra/mail/text.js";
import { moneyWords } from "../notices/notice-words.js";
import type { MadeRefund, OrderTopic, OrderUpdate } from "./order-notice.js";
import type { WholeOrder } from "./whole-order.js";

/** What buyers are notified of by mail, besides refunds. Their platform notifies them of everything else. */
const BUYER_TOPICS: readonly OrderTopic[] = ["order.created", "order.shipped", "order.cancelled"];
export const isForBuyer = ({ topic, refunded = [] }: OrderUpdate) =>
  BUYER_TOPICS.includes(topic) || refunded.length > 0;

/** Contains nothing that the buyer or agent wrote, so that nobody can use it to send spam. */
interface BuyerMail {
  readonly topic: OrderTopic;
  readonly site: Site;
  readonly whole: WholeOrder;
  /** The order page. */
  readonly url: string;
  /** Whether the order was paid in test mode. */
  readonly isTest: boolean;
  readonly shipment?: OrderEvent | undefined;
  readonly refunded?: readonly MadeRefund[] | undefined;
}

const words = (text: string | null | undefined) => (text ? [unlinked(text)] : []);

/** The texts in it come from the shop. */
function shipmentLines({ lines }: WholeOrder, shipment: OrderEvent): readonly string[] {
  const { carrier, trackingNumber, trackingUrl, description } = shipment;
  const by = [...words(carrier), ...words(trackingNumber)];
  return [
    ...shipment.lines.map(({ id, quantity }) => {
      const line = lines.find(({ lineId }) => lineId === id);
      return `  ${quantity} of ${line?.total} × ${unlinked(line?.title ?? "")}`;
    }),
    ...(by.length === 0 ? [] : ["", `Carrier:  ${by.join(", ")}`]),
    ...(trackingUrl === null ? [] : [`Tracking: ${trackingUrl}`]),
    ...words(description).map((text) => `Message from the shop: ${text}`),
  ];
}

function cancelledLines({ order, adjustments, lines }: WholeOrder): readonly string[] {
  const reason = adjustments.filter(({ kind }) => kind === "cancellation").at(-1)?.description;
  const left = lines.filter(({ total }) => total > 0);
  const money =
    order.payment === "captured"
      ? "The shop refunds what you already paid for it."
      : "You are not charged for the cancelled items.";
  return [
    ...words(reason).flatMap((text) => [`Message from the shop: ${text}`, ""]),
    money,
    ...(left.length === 0 ? [] : ["", "These items are still ordered:", ""]),
    ...left.map(({ total, title }) => `  ${total} × ${unlinked(title)}`),
  ];
}

function refundedLines({ order }: WholeOrder, refunded: readonly MadeRefund[]): readonly string[] {
  const { currency } = order.amount;
  return [
    ...refunded.flatMap(({ amountMinor: minor, description, isFromShop }) => [
      ...(minor === null ? [] : [`  Refunded: ${moneyWords({ minor, currency })}`]),
      ...words(description).flatMap((text) => [
        "",
        `${isFromShop ? "Message from the shop" : "Reason"}: ${text}`,
      ]),
    ]),
    "",
    "It can take a few days until the money is in your account.",
  ];
}

function boughtLines({ order, checkout, lines }: WholeOrder): readonly string[] {
  const { currency } = order.amount;
  const money = (minor: number) => moneyWords({ minor, currency });
  const none = { discountMinor: 0, shippingMinor: null, fees: [], taxMinor: 0 };
  const { totals = none } = checkout?.quote ?? {};
  const { discountMinor = 0, shippingMinor, fees = [], taxMinor } = totals;
  return [
    ...lines.map(({ quantity, title }) => `  ${quantity} × ${unlinked(title)}`),
    ...(discountMinor === 0 ? [] : [`  Discount: -${money(discountMinor)}`]),
    ...(shippingMinor === null ? [] : [`  Delivery: ${money(shippingMinor)}`]),
    ...fees.map(({ title, amountMinor }) => `  ${unlinked(title)}: ${money(amountMinor)}`),
    ...(taxMinor === 0 ? [] : [`  Tax: ${money(taxMinor)}`]),
    `  Total: ${money(order.amount.minor)}`,
  ];
}

/** When the money moves, or that it has. A test order says above that it never does. */
function paymentLines({ order }: WholeOrder, isTest: boolean): readonly string[] {
  if (isTest) return [];
  if (order.payment === "captured") return ["", "The shop received your payment."];
  const sum = moneyWords(order.amount);
  return ["", `You are not charged yet. The shop charges ${sum} when it processes your order.`];
}

function mailContent(mail: BuyerMail) {
  const { topic, site, whole, shipment, refunded = [], isTest } = mail;
  const name = unlinked(site.name);
  const label = orderLabel(whole.order);
  if (topic === "order.shipped" && shipment !== undefined) {
    const text = [`These items of your order at ${name} are on their way:`, ""];
    return {
      title: `your order ${label} is on its way`,
      text: [...text, ...shipmentLines(whole, shipment)],
    };
  }
  if (topic === "order.cancelled") {
    const all = whole.order.status === "cancelled";
    const text = [`${all ? "Your order" : "Part of your order"} at ${name} was cancelled.`, ""];
    return {
      title: `your order ${label} was cancelled`,
      text: [...text, ...cancelledLines(whole)],
    };
  }
  if (refunded.length > 0) {
    const text = [`The shop refunded money for your order at ${name}.`, ""];
    return {
      title: `refund for your order ${label}`,
      text: [...text, ...refundedLines(whole, refunded)],
    };
  }
  const text = [`Thank you for your order at ${name}.`, "", ...boughtLines(whole)];
  return { title: `your order ${label}`, text: [...text, ...paymentLines(whole, isTest)] };
}

/** What the mail is about: what was paid, or what was refunded. */
function amountOf({ topic, whole: { order }, refunded = [] }: BuyerMail): string | undefined {
  const { amount } = order;
  if (topic === "order.created") return moneyWords(amount);
  if (refunded.length === 0) return undefined;
  const minor = refunded.reduce((sum, one) => sum + (one.amountMinor ?? 0), 0);
  return moneyWords({ minor, currency: amount.currency });
}

/** The plain-text mail. Its subject names the shop by its domain only. */
export function buyerMail(mail: BuyerMail) {
  const { site, whole, url, isTest } = mail;
  const { title, text } = mailContent(mail);
  const lines = [
    ...(isTest ? ["This is a test order. No money moves, and nothing is shipped.", ""] : []),
    ...text,
    "",
    `The state of your order ${orderLabel(whole.order)} is here:`,
    "",
    url,
    "",
    `Sold by ${unlinked(site.name)}, https://${site.domain}/`,
  ];
  const kind = isTest ? "Test order: " : "";
  return {
    subject: `${kind}${site.domain}: ${title}`,
    text: `${lines.join("\n")}\n`,
    shop: unlinked(site.name),
    amount: amountOf(mail),
  };
}
