import { REASONS, type ReasonCode } from "@gatehouse/protocol";
import { PLATFORM_SUSPENDED, type Problem } from "./checkout.js";

/** The problem that a platform and its buyer get: in UCP's words where it has any, and whether it is final. */
const WORDS: Readonly<Partial<Record<ReasonCode, Problem>>> = {
  payment_declined: {
    code: "payment_failed",
    final: false,
    content: "The payment was declined. Try another payment method.",
  },
  out_of_stock: {
    code: "out_of_stock",
    final: false,
    content: "An item sold out before it was paid. Nothing was charged.",
  },
  agent_suspended: PLATFORM_SUSPENDED,
  unavailable: {
    code: "shop_unavailable",
    final: false,
    content:
      "The shop did not answer in time. Nothing was charged. Complete the checkout again in a minute, or let the buyer " +
      "continue at `continue_url`.",
  },
  site_paused: { code: "sales_paused", final: false, content: REASONS.site_paused.message },
  policy_denied: {
    code: "policy_denied",
    final: true,
    content: "The shop's rules do not allow this order.",
  },
  budget_exceeded: {
    code: "budget_exceeded",
    final: true,
    content: "The shop does not accept more orders from this platform for now.",
  },
  review_denied: {
    code: "review_denied",
    final: true,
    content: "The shop declined this order.",
  },
  review_expired: {
    code: "review_expired",
    final: false,
    content: "The shop did not review the order in time. You can try again.",
  },
  review_invalidated: {
    code: "review_invalidated",
    final: false,
    content: "The order changed before the shop decided. Check it, then try again.",
  },
};

/** The message to a platform when a completion did not become an order. */
export function problemOf(reason: ReasonCode): Problem {
  return WORDS[reason] ?? { code: reason, content: REASONS[reason].message, final: true };
}
