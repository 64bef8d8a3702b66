import type { Money } from "@gatehouse/protocol";
import { moneyText } from "./money-text.js";
import { type Purchase, purchaseLines } from "./purchase.js";
import { DAY_S, HOUR_S, MINUTE_S } from "./time.js";

interface LineQuantity {
  readonly id: string;
  readonly quantity: number;
}

export interface OrderBody {
  readonly order_id: string;
  readonly number: number;
  readonly status: string;
  readonly agent_id: string;
  readonly skill: string;
  readonly protocol: string;
  readonly mandate_id: string | null;
  readonly checkout_id: string | null;
  readonly decision_id: string;
  readonly attempt_id: string;
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly quantity: number;
    readonly unit_minor: number;
  }[];
  readonly amount: Money;
  readonly payment: string;
  readonly lapses_at: string | null;
  readonly lapses_in_seconds: number | null;
  readonly captured_minor: number | null;
  readonly refunded_minor: number;
  readonly revision: number;
  readonly payment_changed_at: string | null;
  readonly created_at: string;
  readonly shop_order_id: string | null;
  readonly erased_at: string | null;
}

/** One that is shown by itself, with all that became of it. */
export interface ShownOrderBody extends OrderBody {
  readonly is_test: boolean;
  readonly paid_by_person: boolean;
  readonly lines: readonly {
    readonly line_id: string;
    readonly id: string;
    readonly title: string;
    readonly quantity: number;
    readonly unit_minor: number;
    readonly total: number;
    readonly fulfilled: number;
    readonly delivered: number;
  }[];
  readonly events: readonly {
    readonly type: string;
    readonly line_items: readonly LineQuantity[];
    readonly carrier: string | null;
    readonly tracking_number: string | null;
    readonly tracking_url: string | null;
    readonly description: string | null;
    readonly occurred_at: string;
  }[];
  readonly adjustments: readonly {
    readonly adjustment_id: string;
    readonly kind: string;
    readonly status: string;
    readonly amount_minor: number | null;
    readonly line_items: readonly LineQuantity[];
    readonly description: string | null;
    readonly occurred_at: string;
    readonly changed_at: string;
  }[];
  readonly notes: readonly { readonly text: string; readonly created_at: string }[];
  readonly messages: readonly {
    readonly message_id: string;
    readonly topic: string;
    readonly audience: string;
    readonly kind: string;
    readonly state: string;
    readonly last_problem: string | null;
    readonly created_at: string;
  }[];
  /** Only for owners. */
  readonly payment_facts: {
    readonly url: string | null;
    readonly changes: readonly { readonly kind: string; readonly status: string }[];
  } | null;
  readonly page_url: string | null;
  readonly purchase: Purchase | null;
}

/** A time in the largest unit that does not hide it. */
function spanText(seconds: number): string {
  if (seconds >= 2 * DAY_S) return `${Math.floor(seconds / DAY_S)} days`;
  if (seconds >= 2 * HOUR_S) return `${Math.floor(seconds / HOUR_S)} hours`;
  return `${Math.floor(seconds / MINUTE_S)} minutes`;
}

/** The usual words for payment states that have another name in the API. */
const USUAL_WORDS: Readonly<Record<string, string>> = { released: "voided", lapsed: "expired" };

/** Captured money that went back, in full or in part. */
function refundText({ captured_minor, refunded_minor, amount }: OrderBody): string | undefined {
  if (refunded_minor === 0) return undefined;
  if (refunded_minor >= (captured_minor ?? amount.minor)) return "refunded";
  return `partly refunded: ${moneyText({ minor: refunded_minor, currency: amount.currency })}`;
}

/** The state of the payment, and how long it can still be captured. */
export function paymentText(order: OrderBody): string {
  const { payment, lapses_at, lapses_in_seconds: left, captured_minor: minor, amount } = order;
  if (payment === "authorized" && lapses_at !== null && left !== null) {
    return `authorized, expires in ${spanText(left)} (${lapses_at})`;
  }
  const refunded = refundText(order);
  if (refunded !== undefined) return refunded;
  const usual = USUAL_WORDS[payment];
  if (usual !== undefined) return usual;
  if (minor === null || minor === amount.minor) return payment;
  return `${payment}: ${moneyText({ minor, currency: amount.currency })}`;
}

const piecesText = (lines: readonly LineQuantity[]) =>
  lines.map(({ id, quantity }) => `${quantity} × ${id}`).join(", ");

function lineText(
  { line_id, quantity, title, id, unit_minor, ...line }: ShownOrderBody["lines"][0],
  currency: string,
): string {
  const each = moneyText({ minor: unit_minor, currency });
  const { total, fulfilled, delivered } = line;
  const arrived = delivered === 0 ? "" : `, ${delivered} delivered`;
  const cancelled = quantity === total ? "" : `, ${quantity - total} cancelled`;
  const far = `${fulfilled} sent${arrived}${cancelled}`;
  return `${line_id}: ${quantity} × ${title} (${id}), ${each} each; ${far}`;
}

/** What the goods cost that were cancelled. */
const cancelledMinor = ({ lines }: ShownOrderBody) =>
  lines.reduce((sum, one) => sum + (one.quantity - one.total) * one.unit_minor, 0);

/** What the buyer owes after cancellations. */
export function owedMinor(order: ShownOrderBody): number {
  const left = order.lines.some(({ total }) => total > 0);
  return left ? order.amount.minor - cancelledMinor(order) : 0;
}

/** Sums to capture, and captured and refunded ones; what was captured beyond what is owed. */
function moneyLines(order: ShownOrderBody): Record<string, string> {
  const { payment, captured_minor, amount, adjustments } = order;
  const text = (minor: number) => moneyText({ minor, currency: amount.currency });
  const [gone, owed] = [cancelledMinor(order), owedMinor(order)];
  const because = `items worth ${text(gone)} were cancelled`;
  if (payment === "authorized" && gone > 0 && owed > 0) {
    return { to_capture: `${text(owed)} (${because})` };
  }
  if (payment !== "captured") return {};
  const captured = captured_minor ?? amount.minor;
  const sumOf = (...wanted: readonly string[]) =>
    adjustments
      .filter(({ kind, status }) => wanted.includes(`${kind} ${status}`))
      .reduce((sum, one) => sum + (one.amount_minor ?? 0), 0);
  const [refunded, pending] = [sumOf("refund completed"), sumOf("refund pending")];
  // The bank holds a disputed sum until the dispute ends.
  const disputed = sumOf("dispute pending", "dispute completed");
  const excess = captured - refunded - pending - disputed - owed;
  const waiting = pending === 0 ? "" : `, and ${text(pending)} pending`;
  return {
    captured: text(captured),
    ...(refunded + pending === 0 ? {} : { refunded: text(refunded) + waiting }),
    ...(excess > 0
      ? { to_refund: `${text(excess)}: you captured more than is owed (${because})` }
      : {}),
  };
}

/** What became of money that goes back, in an owner's words: who wins a dispute loses nothing. */
function returnText({ kind, status }: ShownOrderBody["adjustments"][0]): string {
  if (kind !== "dispute") return `${kind} ${status}`;
  return (
    { pending: "dispute open", completed: "dispute lost", failed: "dispute won" }[status] ?? kind
  );
}

/** All that became of it, in order. */
function historyOf(order: ShownOrderBody): string[] {
  const { events, adjustments, notes, payment, payment_changed_at: at } = order;
  const { currency } = order.amount;
  const ended = { ...order, lapses_at: null, refunded_minor: 0 };
  const words = (...parts: readonly (string | null)[]) => parts.filter(Boolean).join("; ");
  return [
    ...events.map((event) => ({
      at: event.occurred_at,
      text: words(
        `${event.type}: ${piecesText(event.line_items)}`,
        [event.carrier, event.tracking_number, event.tracking_url].filter(Boolean).join(" "),
        event.description,
      ),
    })),
    ...adjustments.map((one) => {
      const money =
        one.amount_minor === null ? null : moneyText({ minor: one.amount_minor, currency });
      const what = money ?? piecesText(one.line_items);
      const summary = `${returnText(one)}: ${what} (${one.adjustment_id})`;
      const ended = one.status === "pending" || one.changed_at === one.occurred_at;
      const since = ended ? null : `since ${one.changed_at}`;
      return { at: one.occurred_at, text: words(summary, since, one.description) };
    }),
    ...(at === null ? [] : [{ at, text: paymentText(ended) || payment }]),
    ...notes.map(({ text, created_at }) => ({ at: created_at, text: `note: ${text}` })),
  ]
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ at, text }) => `${at} ${text}`);
}

const notificationsOf = ({ messages }: ShownOrderBody) =>
  messages.map(({ created_at, message_id, topic, audience, kind, state, last_problem }) => {
    const why = last_problem === null || state === "delivered" ? "" : ` (${last_problem})`;
    return `${created_at} ${topic} to the ${audience} by ${kind}: ${state}${why} ${message_id}`;
  });

/** An order as a card. */
export function orderCard(order: ShownOrderBody): Record<string, string> {
  const { mandate_id, checkout_id, purchase, amount } = order;
  const history = historyOf(order);
  const notifications = notificationsOf(order);
  return {
    order: `#${order.number}`,
    created_at: order.created_at,
    status: order.status,
    amount: moneyText(amount),
    ...(order.is_test ? { test_order: "no real money; do not ship anything" } : {}),
    payment:
      order.payment === "captured" ? (refundText(order) ?? order.payment) : paymentText(order),
    ...(order.paid_by_person ? { paid_by: "a person, on the payment page" } : {}),
    ...moneyLines(order),
    ...(order.payment_facts?.url == null ? {} : { payment_page: order.payment_facts.url }),
    order_id: order.order_id,
    attempt_id: order.attempt_id,
    agent_id: order.agent_id,
    skill: order.skill,
    protocol: order.protocol,
    ...(mandate_id === null ? {} : { mandate_id }),
    ...(checkout_id === null ? {} : { checkout_id }),
    decision_id: order.decision_id,
    ...(order.page_url === null ? {} : { page: order.page_url }),
    ...(order.shop_order_id === null ? {} : { shop_order_id: order.shop_order_id }),
    ...(order.erased_at === null ? {} : { personal_data: `erased on ${order.erased_at}` }),
    ...purchaseLines(purchase, amount.currency),
    lines: order.lines.map((line) => lineText(line, amount.currency)).join("\n"),
    ...(history.length === 0 ? {} : { history: history.join("\n") }),
    ...(notifications.length === 0 ? {} : { notified: notifications.join("\n") }),
  };
}
