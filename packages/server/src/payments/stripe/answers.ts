import type Stripe from "stripe";
import type { AuthorizationState, ProviderAnswer } from "../provider.js";
import { moneyOfStripe } from "./amounts.js";

/** People who try stolen cards must not learn that a card was reported. */
const SHOWN_AS_DECLINED = new Set([
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

/** Stripe's code for the decline, never its sentence. */
function declineReason(error: { code?: string | null; decline_code?: string | null } | null) {
  const word = error?.decline_code ?? error?.code ?? "card_declined";
  return !CODE.test(word) || SHOWN_AS_DECLINED.has(word) ? "card_declined" : word;
}

/** The answer to an attempt that its payment intent shows. */
export function answerOfIntent(
  intent: Stripe.PaymentIntent,
  expiresAt: number | null,
): ProviderAnswer {
  const { id: reference, status } = intent;
  if (status === "requires_capture" || status === "succeeded") {
    return { outcome: "authorized", reference, expiresAt };
  }
  // Without an error the intent was not confirmed yet, and a call under way may confirm it now.
  if (status === "requires_payment_method" && intent.last_payment_error !== null) {
    return { outcome: "declined", reason: declineReason(intent.last_payment_error), reference };
  }
  if (status === "canceled") return { outcome: "declined", reason: "canceled", reference };
  // It is processing or waits for its buyer, so it can still be authorized.
  const reason = CODE.test(status) ? status : "unknown_status";
  const url = intent.next_action?.redirect_to_url?.url;
  const challenge = status === "requires_action" && typeof url === "string";
  return { outcome: "unknown", reason, reference, ...(challenge ? { challengeUrl: url } : {}) };
}

export function stateOfIntent(
  intent: Stripe.PaymentIntent,
  expiresAt: number | null,
): AuthorizationState | undefined {
  const { status, amount_received, currency } = intent;
  if (status === "requires_capture") {
    return { status: "authorized", expiresAt, captured: null };
  }
  if (status === "succeeded") {
    const captured = moneyOfStripe(amount_received, currency) ?? null;
    return { status: "captured", expiresAt: null, captured };
  }
  if (status !== "canceled") return undefined;
  // Stripe has two reasons for an authorization that expired.
  const reason: string | null = intent.cancellation_reason;
  const expired = reason === "automatic" || reason === "expired";
  return { status: expired ? "lapsed" : "released", expiresAt: null, captured: null };
}

/** The members of Stripe's errors that are read here. */
interface StripeFailure {
  readonly type?: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly statusCode?: number;
  readonly payment_intent?: { readonly id?: string };
}

const unknown = (reason: string): ProviderAnswer => ({ outcome: "unknown", reason });

/**
 * The answer to an attempt that a failed call shows. A declined card is a definite answer. A call that
 * Stripe rejects for its parameters or its API key did nothing, but that is definite only for the first
 * call: Stripe may check parameters before it looks up the idempotency key, so an earlier call may have
 * authorized the payment.
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
  const refusedRequest = (reason: string) =>
    first ? declined(reason) : ({ outcome: "unknown", reason, refused: true } as const);
  if (type === "StripeInvalidRequestError" && code !== "idempotency_key_in_use") {
    const reason =
      code === "resource_missing" ? "unknown_token" : declineReason({ code: code ?? null });
    return refusedRequest(reason);
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
