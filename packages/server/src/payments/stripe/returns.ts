import type Stripe from "stripe";
import type { MoneyReturn } from "../provider.js";
import { moneyOfStripe } from "./amounts.js";
import { CHANGE } from "./changes.js";

const PAGE = 100;
/** Pages read for one payment. */
const PAGES_MAX = 5;

interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
}

async function readPages<T extends { readonly id: string }>(
  read: (page: { limit: number; starting_after?: string }) => PromiseLike<Page<T>>,
): Promise<readonly T[]> {
  const items: T[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const after = items.at(-1)?.id;
    const { data, has_more } = await read({
      limit: PAGE,
      ...(after === undefined ? {} : { starting_after: after }),
    });
    items.push(...data);
    if (!has_more) return items;
  }
  throw new Error("Stripe lists too many refunds or disputes of one payment");
}

const REFUNDED: Readonly<Record<string, MoneyReturn["status"]>> = {
  succeeded: "completed",
  failed: "failed",
  canceled: "failed",
};

/** Descriptions for the buyer, by Stripe's reason. */
const REASONS: Readonly<Record<string, string>> = {
  duplicate: "The payment was charged twice.",
  requested_by_customer: "The buyer requested the refund.",
};

function refundOf({ id, amount, currency, ...refund }: Stripe.Refund): MoneyReturn | undefined {
  const money = moneyOfStripe(amount, currency);
  if (money === undefined) return undefined;
  return {
    reference: id,
    changeId: refund.metadata?.[CHANGE] ?? null,
    kind: "refund",
    amount: money,
    createdAt: refund.created * 1000,
    // Statuses that are not known here may still complete.
    status: REFUNDED[refund.status ?? ""] ?? "pending",
    description: REASONS[refund.reason ?? ""] ?? null,
  };
}

const DISPUTED: Readonly<Record<string, MoneyReturn["status"]>> = {
  lost: "completed",
  won: "failed",
  warning_closed: "failed",
  prevented: "failed",
};

function disputeOf({ id, amount, currency, ...dispute }: Stripe.Dispute): MoneyReturn | undefined {
  const money = moneyOfStripe(amount, currency);
  if (money === undefined) return undefined;
  const asks = dispute.status.startsWith("warning_");
  return {
    reference: id,
    changeId: null,
    kind: "dispute",
    amount: money,
    createdAt: dispute.created * 1000,
    status: DISPUTED[dispute.status] ?? "pending",
    description: asks
      ? "The bank of the card asks about this payment."
      : "The bank of the card disputes this payment.",
  };
}

/**
 * Refunds of captured money. After a partial capture Stripe lists the rest of the authorization as a refund
 * too: it is as old as the capture, and the oldest of all.
 */
function refundsOfCapture(
  { amount, amount_received }: Stripe.PaymentIntent,
  refunds: readonly Stripe.Refund[],
): readonly Stripe.Refund[] {
  const rest = amount - amount_received;
  if (rest === 0) return refunds;
  const oldestFirst = refunds.toReversed().sort((a, b) => a.created - b.created);
  const uncaptured = oldestFirst.find((refund) => refund.amount === rest);
  return oldestFirst.filter((refund) => refund !== uncaptured);
}

/** The refunds and disputes of an intent. */
export async function returnsOf(
  client: Stripe,
  intent: Stripe.PaymentIntent,
): Promise<readonly MoneyReturn[]> {
  if (intent.status !== "succeeded") return [];
  const { id: payment_intent } = intent;
  const refunds = await readPages((page) => client.refunds.list({ payment_intent, ...page }));
  const disputes = await readPages((page) => client.disputes.list({ payment_intent, ...page }));
  return [...refundsOfCapture(intent, refunds).map(refundOf), ...disputes.map(disputeOf)].filter(
    (one) => one !== undefined,
  );
}
