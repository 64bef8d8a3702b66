import type Stripe from "stripe";
import type { Returned } from "../provider.js";
import { moneyOfStripe } from "./amounts.js";

const PAGE = 100;
/** Pages read of one payment: nobody gives back a sum in more pieces. */
const PAGES_MAX = 5;

interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
}

async function all<T extends { readonly id: string }>(
  read: (page: { limit: number; starting_after?: string }) => PromiseLike<Page<T>>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const after = found.at(-1)?.id;
    const { data, has_more } = await read({
      limit: PAGE,
      ...(after === undefined ? {} : { starting_after: after }),
    });
    found.push(...data);
    if (!has_more) return found;
  }
  throw new Error("Stripe lists more of one payment than can be");
}

const REFUNDED: Readonly<Record<string, Returned["status"]>> = {
  succeeded: "completed",
  failed: "failed",
  canceled: "failed",
};

/** Words of Stripe's that a buyer may read. */
const REASONS: Readonly<Record<string, string>> = {
  duplicate: "It was charged twice.",
  requested_by_customer: "The buyer asked for it.",
};

function refundOf({ id, amount, currency, ...refund }: Stripe.Refund): Returned | undefined {
  const money = moneyOfStripe(amount, currency);
  if (money === undefined) return undefined;
  return {
    reference: id,
    kind: "refund",
    amount: money,
    createdAt: refund.created * 1000,
    // What waits for somebody may come to something yet, and so may what is new to us.
    status: REFUNDED[refund.status ?? ""] ?? "pending",
    description: REASONS[refund.reason ?? ""] ?? null,
  };
}

const DISPUTED: Readonly<Record<string, Returned["status"]>> = {
  lost: "completed",
  won: "failed",
  warning_closed: "failed",
  prevented: "failed",
};

function disputeOf({ id, amount, currency, ...dispute }: Stripe.Dispute): Returned | undefined {
  const money = moneyOfStripe(amount, currency);
  if (money === undefined) return undefined;
  const asks = dispute.status.startsWith("warning_");
  return {
    reference: id,
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
 * Refunds of money that was taken. Stripe has one of its own for what of an authorization was not
 * taken: it is as old as the capture, and older than all others.
 */
function taken(
  { amount, amount_received }: Stripe.PaymentIntent,
  refunds: readonly Stripe.Refund[],
): readonly Stripe.Refund[] {
  const rest = amount - amount_received;
  if (rest === 0) return refunds;
  const oldestFirst = refunds.toReversed().sort((a, b) => a.created - b.created);
  const own = oldestFirst.find((refund) => refund.amount === rest);
  return oldestFirst.filter((refund) => refund !== own);
}

/** All that went back of an intent. */
export async function returnsOf(
  client: Stripe,
  intent: Stripe.PaymentIntent,
): Promise<readonly Returned[]> {
  if (intent.status !== "succeeded") return [];
  const { id: payment_intent } = intent;
  const refunds = await all((page) => client.refunds.list({ payment_intent, ...page }));
  const disputes = await all((page) => client.disputes.list({ payment_intent, ...page }));
  return [...taken(intent, refunds).map(refundOf), ...disputes.map(disputeOf)].filter(
    (one) => one !== undefined,
  );
}
