import type Stripe from "stripe";
import type { AuthorizationState, ProviderAnswer } from "../provider.js";
import { moneyOfStripe } from "./amounts.js";

/** Whoever tries stolen cards must not learn that one was noticed. */
const TOLD_AS_DECLINED = new Set([
  "lost_card",
  "stolen_card",
  "fraudulent",
  "pickup_card",
  "restricted_card",
  "merchant_blacklist",
  "security_violation",
  "highest_risk_level",
]);
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** A word for why it was declined, of Stripe's own; never a sentence. */
function declineReason(error: { code?: string | null; decline_code?: string | null } | null) {
  const word = error?.decline_code ?? error?.code ?? "card_declined";
  return !CODE.test(word) || TOLD_AS_DECLINED.has(word) ? "card_declined" : word;
}

/** What an intent says of the attempt it was made for, and when an authorization lapses. */
export function answerOfIntent(
  intent: Stripe.PaymentIntent,
  lapsesAt: number | null,
): ProviderAnswer {
  const { id: reference, status } = intent;
  if (status === "requires_capture" || status === "succeeded") {
    return { outcome: "authorized", reference, lapsesAt };
  }
  // Without an error it was not confirmed yet: whoever made it may be about to.
  if (status === "requires_payment_method" && intent.last_payment_error !== null) {
    return { outcome: "declined", reason: declineReason(intent.last_payment_error), reference };
  }
  if (status === "canceled") return { outcome: "declined", reason: "canceled", reference };
  // Processing, or waiting for its buyer: it may come to something yet.
  const reason = CODE.test(status) ? status : "unknown_status";
  const url = intent.next_action?.redirect_to_url?.url;
  const challenge = status === "requires_action" && typeof url === "string";
  return { outcome: "unknown", reason, reference, ...(challenge ? { challengeUrl: url } : {}) };
}

/** What has become of an authorization. */
export function stateOfIntent(
  intent: Stripe.PaymentIntent,
  lapsesAt: number | null,
): AuthorizationState | undefined {
  const { status, amount_received, currency } = intent;
  if (status === "requires_capture") {
    return { status: "authorized", lapsesAt, captured: null };
  }
  if (status === "succeeded") {
    const captured = moneyOfStripe(amount_received, currency) ?? null;
    return { status: "captured", lapsesAt: null, captured };
  }
  if (status !== "canceled") return undefined;
  // Nobody took it in time: Stripe has two words for it.
  const why: string | null = intent.cancellation_reason;
  const lapsed = why === "automatic" || why === "expired";
  return { status: lapsed ? "lapsed" : "released", lapsesAt: null, captured: null };
}

/** As much of Stripe's errors as matters here. */
interface StripeFailure {
  readonly type?: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly statusCode?: number;
  readonly payment_intent?: { readonly id?: string };
}

const unknown = (reason: string): ProviderAnswer => ({ outcome: "unknown", reason });

/**
 * What a failed call says of the attempt. A declined card is an answer, kept under the key; whatever
 * kept Stripe from answering says nothing. What was turned away at the door, for its parameters or
 * its key, was not done by this call: that is definite only where nobody can have asked before
 * (`first`), since Stripe may look at parameters before it looks at what a key stands for.
 */
export function answerOfFailure(error: unknown, first: boolean): ProviderAnswer {
  const { type, code, decline_code, payment_intent } = error as StripeFailure;
  const reference = payment_intent?.id;
  const declined = (reason: string): ProviderAnswer => ({
    outcome: "declined",
    reason,
    ...(reference === undefined ? {} : { reference }),
  });
  if (type === "StripeCardError") {
    return declined(
      declineReason({ ...(code && { code }), ...(decline_code && { decline_code }) }),
    );
  }
  const turnedAway = (reason: string) =>
    first ? declined(reason) : ({ outcome: "unknown", reason, refused: true } as const);
  if (type === "StripeInvalidRequestError" && code !== "idempotency_key_in_use") {
    const reason =
      code === "resource_missing" ? "unknown_token" : declineReason({ code: code ?? null });
    return turnedAway(reason);
  }
  if (type === "StripeIdempotencyError") return unknown("idempotency_conflict");
  if (type === "StripeAuthenticationError" || type === "StripePermissionError") {
    return first ? declined("processor_refused_key") : unknown("processor_refused_key");
  }
  if (type === "StripeRateLimitError") return unknown("processor_busy");
  if (type === "StripeConnectionError") return unknown("no_answer");
  if (code === "idempotency_key_in_use") return unknown("in_progress");
  return unknown("processor_failed");
}
