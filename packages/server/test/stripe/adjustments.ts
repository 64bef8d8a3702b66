import type Stripe from "stripe";
import type { Charge, Stamp } from "./objects.ts";

/** What comes after a charge: refunds, disputes, and what the account says of itself. */
export type Refund = Stripe.Refund & { charge: string; payment_intent: string };
export type Dispute = Stripe.Dispute & { charge: string; payment_intent: string };

export interface StripeEvent {
  readonly id: string;
  readonly object: "event";
  readonly api_version: string;
  readonly created: number;
  readonly data: { readonly object: Stripe.Event.Data.Object & { readonly id?: string } };
  readonly livemode: boolean;
  readonly pending_webhooks: number;
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null };
  readonly type: string;
}

export function newRefund(
  id: string,
  { created }: Stamp,
  { currency, id: charge, payment_intent, payment_method, captured }: Charge,
  { amount, reason }: { readonly amount: number; readonly reason: Refund["reason"] },
): Refund {
  return {
    id,
    object: "refund",
    amount,
    balance_transaction: null,
    charge,
    created,
    currency,
    customer: null,
    customer_account: null,
    metadata: {},
    payment_intent,
    payment_method,
    reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: "succeeded",
    transfer_reversal: null,
    destination_details: { type: "card", card: { type: captured ? "refund" : "reversal" } },
  };
}

const NO_EVIDENCE = [
  "access_activity_log",
  "billing_address",
  "cancellation_policy",
  "cancellation_policy_disclosure",
  "cancellation_rebuttal",
  "customer_communication",
  "customer_email_address",
  "customer_name",
  "customer_purchase_ip",
  "customer_signature",
  "duplicate_charge_documentation",
  "duplicate_charge_explanation",
  "duplicate_charge_id",
  "product_description",
  "receipt",
  "refund_policy",
  "refund_policy_disclosure",
  "refund_refusal_explanation",
  "service_date",
  "service_documentation",
  "shipping_address",
  "shipping_carrier",
  "shipping_date",
  "shipping_documentation",
  "shipping_tracking_number",
  "uncategorized_file",
  "uncategorized_text",
];
const ANSWER_WITHIN_S = 14 * 86_400;

export function newDispute(
  id: string,
  { created, livemode }: Stamp,
  { amount_captured, currency, id: charge, payment_intent, payment_method_details }: Charge,
): Dispute {
  const brand = payment_method_details?.card?.brand ?? "visa";
  const nothing = Object.fromEntries(NO_EVIDENCE.map((name) => [name, null]));
  return {
    id,
    object: "dispute",
    created,
    livemode,
    charge,
    payment_intent,
    currency,
    amount: amount_captured,
    balance_transactions: [],
    enhanced_eligibility_types: [],
    evidence: { ...nothing, enhanced_evidence: {} } as unknown as Stripe.Dispute.Evidence,
    evidence_details: {
      due_by: created + ANSWER_WITHIN_S,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "not_submitted",
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    metadata: {},
    payment_method_details: {
      type: "card",
      card: { brand, case_type: "chargeback", network: brand, network_reason_code: "10.4" },
    },
    reason: "fraudulent",
    status: "needs_response",
  };
}

export function newAccount(id: string, { created }: Stamp): Stripe.Account {
  return {
    id,
    object: "account",
    charges_enabled: true,
    details_submitted: true,
    created,
    country: "US",
    default_currency: "usd",
    email: "owner@example.com",
    metadata: {},
    payouts_enabled: true,
    type: "standard",
  };
}
