import type Stripe from "stripe";
import { type Decline, GENERIC_DECLINE } from "./cards.ts";
import type { Ledger } from "./ledger.ts";
import { type Charge, type Intent, type Method, newCharge, newId } from "./objects.ts";
import { invalid, Refusal } from "./refusals.ts";
import { release } from "./returns.ts";

const CAPTURE_WITHIN_S = 7 * 86_400;

function attempt(ledger: Ledger, intent: Intent, method: Method): Charge {
  const charge = ledger.keep(newCharge(newId("ch"), ledger.stamp(), intent, method));
  intent.latest_charge = charge.id;
  return charge;
}

function approve(ledger: Ledger, intent: Intent, method: Method): void {
  const charge = attempt(ledger, intent, method);
  Object.assign(intent, { processing: null, last_payment_error: null, next_action: null });
  if (intent.capture_method === "manual") {
    const { card } = charge.payment_method_details ?? {};
    if (card !== undefined) card.capture_before = charge.created + CAPTURE_WITHIN_S;
    Object.assign(intent, { status: "requires_capture", amount_capturable: intent.amount });
    ledger.tell("charge.succeeded", charge);
    ledger.tell("payment_intent.amount_capturable_updated", intent);
    return;
  }
  Object.assign(charge, { captured: true, amount_captured: intent.amount });
  Object.assign(intent, { status: "succeeded", amount_received: intent.amount });
  ledger.tell("charge.succeeded", charge);
  ledger.tell("payment_intent.succeeded", intent);
}

type LastError = Stripe.PaymentIntent.LastPaymentError;

/** The intent waits for another card; what went wrong with this one stays written on it. */
function fail(ledger: Ledger, intent: Intent, error: LastError): Refusal {
  Object.assign(intent, { status: "requires_payment_method", payment_method: null });
  Object.assign(intent, { processing: null, last_payment_error: structuredClone(error) });
  ledger.tell("payment_intent.payment_failed", intent);
  return new Refusal(402, { ...error, payment_intent: structuredClone(intent) });
}

function declineIt(ledger: Ledger, intent: Intent, method: Method, decline: Decline): Refusal {
  const { code, declineCode, message } = decline;
  const charge = attempt(ledger, intent, method);
  Object.assign(charge, { status: "failed", paid: false, failure_code: code });
  Object.assign(charge, { failure_message: message });
  Object.assign(charge.outcome ?? {}, {
    network_status: "declined_by_network",
    reason: declineCode,
    type: "issuer_declined",
    seller_message: "The bank did not say more.",
  });
  ledger.tell("charge.failed", charge);
  const error = { type: "card_error", code, decline_code: declineCode, message } as const;
  return fail(ledger, intent, { ...error, charge: charge.id, payment_method: method });
}

/** Asks for the money. Throws what Stripe answers where the card does not pay. */
export function confirm(
  ledger: Ledger,
  intent: Intent,
  method: Method,
  {
    noActions,
    returnUrl,
  }: { readonly noActions: boolean; readonly returnUrl?: string | undefined },
): void {
  intent.payment_method = method.id;
  const does = ledger.cards.get(method.id)?.does ?? GENERIC_DECLINE;
  if (typeof does === "object") throw declineIt(ledger, intent, method, does);
  if (does === "approve") {
    approve(ledger, intent, method);
  } else if (does === "process") {
    Object.assign(intent, { status: "processing", processing: { type: "card" } });
    ledger.tell("payment_intent.processing", intent);
  } else if (noActions) {
    const message = "This payment required an authentication action to complete.";
    const error = { type: "card_error", code: "authentication_required", message } as const;
    throw fail(ledger, intent, { ...error, payment_method: method });
  } else {
    const url = `https://hooks.stripe.com/redirect/authenticate/${intent.id}`;
    const action =
      returnUrl === undefined || !ledger.redirects
        ? { type: "use_stripe_sdk", use_stripe_sdk: {} }
        : { type: "redirect_to_url", redirect_to_url: { return_url: returnUrl, url } };
    Object.assign(intent, { status: "requires_action", next_action: action });
    ledger.tell("payment_intent.requires_action", intent);
  }
}

/** What the bank says in the end of a payment that was being processed, or that its buyer was asked about. */
export function finish(
  ledger: Ledger,
  intent: Intent,
  outcome: "requires_capture" | "requires_payment_method",
): void {
  const method = ledger.find("payment_method", intent.payment_method);
  const open = intent.status === "processing" || intent.status === "requires_action";
  if (!open || method === undefined) throw unexpected(intent, "finished");
  intent.next_action = null;
  if (outcome === "requires_payment_method") {
    declineIt(ledger, intent, method, GENERIC_DECLINE);
  } else if (intent.capture_method !== "manual") {
    throw new Error("an intent that captures for itself never waits to be captured");
  } else {
    approve(ledger, intent, method);
  }
}

/** The buyer could not prove to the bank who it is. */
export function failAuthentication(ledger: Ledger, intent: Intent): void {
  const method = ledger.find("payment_method", intent.payment_method);
  if (intent.status !== "requires_action" || method === undefined) {
    throw unexpected(intent, "authenticated");
  }
  intent.next_action = null;
  const code = "payment_intent_authentication_failure";
  const message =
    "We are unable to authenticate your payment method. Please choose a different payment method " +
    "and try again.";
  fail(ledger, intent, { type: "invalid_request_error", code, message, payment_method: method });
}

function unexpected(intent: Intent, done: string): Refusal {
  const message = `This PaymentIntent could not be ${done} because it has a status of ${intent.status}.`;
  const { status, error } = invalid(message, { code: "payment_intent_unexpected_state" });
  return new Refusal(status, { ...error, payment_intent: structuredClone(intent) });
}

/** Takes the sum or a part of it; what is not taken goes back to the card. */
export function capture(ledger: Ledger, intent: Intent, amount = intent.amount_capturable): void {
  const charge = ledger.find("charge", intent.latest_charge);
  if (intent.status !== "requires_capture" || charge === undefined) {
    throw unexpected(intent, "captured");
  }
  if (amount > intent.amount_capturable) {
    const details = { code: "amount_too_large", param: "amount_to_capture" };
    throw invalid("More was asked for than can be captured.", details);
  }
  Object.assign(intent, { status: "succeeded", amount_capturable: 0, amount_received: amount });
  Object.assign(charge, { captured: true, amount_captured: amount });
  // Said by nothing but the charge itself: no event tells of what was never taken.
  if (amount < charge.amount) release(ledger, charge, null);
  ledger.tell("charge.captured", charge);
  ledger.tell("payment_intent.succeeded", intent);
}

const CANCELABLE = new Set([
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "requires_capture",
]);

/** Ends an intent. `lapsed`: because nobody captured it in time. */
export function cancel(
  ledger: Ledger,
  intent: Intent,
  reason: Intent["cancellation_reason"],
  lapsed = false,
): void {
  const held = intent.status === "requires_capture";
  if (!CANCELABLE.has(intent.status) || (lapsed && !held)) throw unexpected(intent, "canceled");
  const charge = ledger.find("charge", intent.latest_charge);
  Object.assign(intent, { status: "canceled", amount_capturable: 0, next_action: null });
  Object.assign(intent, { canceled_at: ledger.stamp().created, cancellation_reason: reason });
  ledger.tell("payment_intent.canceled", intent);
  if (!held || charge === undefined) return;
  const refund = release(ledger, charge, lapsed ? "expired_uncaptured_charge" : null);
  if (!lapsed) ledger.tell("refund.created", refund);
  ledger.tell(lapsed ? "charge.expired" : "charge.refunded", charge);
}
