import type Stripe from "stripe";

let made = 0;

/** Ids that look like Stripe's, and are never the same twice within a process. */
export function newId(prefix: string): string {
  made += 1;
  return `${prefix}_3Sim${made.toString(36).toUpperCase().padStart(16, "0")}`;
}

/** Objects as they are kept: whatever they refer to, by its id. */
export type Intent = Stripe.PaymentIntent & {
  latest_charge: string | null;
  payment_method: string | null;
};
export type Charge = Stripe.Charge & {
  payment_intent: string;
  payment_method: string;
};
export type Method = Stripe.PaymentMethod;

/** When something was made, and whether with real money. */
export interface Stamp {
  readonly created: number;
  readonly livemode: boolean;
}

interface CardFace {
  readonly id: string;
  readonly brand: string;
  readonly last4: string;
}

const NOWHERE = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
};
const NOBODY = { address: NOWHERE, email: null, name: null, phone: null, tax_id: null };
const UNCHECKED = { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" };
const FACE = { country: "US", exp_month: 8, exp_year: 2040, funding: "credit" } as const;

export function newMethod({ id, brand, last4, ...stamp }: Stamp & CardFace): Method {
  const { created, livemode } = stamp;
  return {
    id,
    object: "payment_method",
    type: "card",
    created,
    livemode,
    allow_redisplay: "unspecified",
    customer: null,
    customer_account: null,
    metadata: {},
    billing_details: structuredClone(NOBODY),
    card: {
      ...FACE,
      brand,
      last4,
      checks: { ...UNCHECKED },
      display_brand: brand,
      generated_from: null,
      networks: { available: [brand], preferred: null },
      regulated_status: "unregulated",
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
  };
}

export interface IntentTerms {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly capture_method: Stripe.PaymentIntent.CaptureMethod;
  readonly description: string | null;
  readonly metadata: Record<string, string>;
  readonly allowed_payment_method_types: Intent["allowed_payment_method_types"];
}

export function newIntent(terms: Stamp & IntentTerms): Intent {
  return {
    ...terms,
    object: "payment_intent",
    status: "requires_payment_method",
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    client_secret: `${terms.id}_secret_simulated`,
    confirmation_method: "automatic",
    customer: null,
    customer_account: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    managed_payments: null,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    transfer_data: null,
    transfer_group: null,
  };
}

const APPROVED = {
  advice_code: null,
  network_advice_code: null,
  network_decline_code: null,
  reason: null,
  network_status: "approved_by_network",
  risk_level: "normal",
  type: "authorized",
  seller_message: "Payment complete.",
} as const;

/** An attempt at an intent's card: approved, and nothing taken of it yet. */
export function newCharge(
  id: string,
  { created, livemode }: Stamp,
  { amount, currency, description, id: intentId, metadata }: Intent,
  method: Method,
): Charge {
  const { brand = null, last4 = null } = method.card ?? {};
  return {
    id,
    object: "charge",
    created,
    livemode,
    amount,
    currency,
    description,
    amount_captured: 0,
    amount_refunded: 0,
    captured: false,
    paid: true,
    refunded: false,
    disputed: false,
    status: "succeeded",
    payment_intent: intentId,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: structuredClone(NOBODY),
    calculated_statement_descriptor: "SIMULATED",
    customer: null,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    metadata: { ...metadata },
    on_behalf_of: null,
    outcome: { ...APPROVED },
    payment_method: method.id,
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    transfer_data: null,
    transfer_group: null,
    payment_method_details: {
      type: "card",
      card: {
        ...FACE,
        brand,
        last4,
        checks: { ...UNCHECKED },
        amount_authorized: amount,
        authorization_code: null,
        electronic_commerce_indicator: null,
        installments: null,
        mandate: null,
        network: brand,
        network_transaction_id: null,
        regulated_status: "unregulated",
        three_d_secure: null,
        transaction_link_id: null,
        wallet: null,
      },
    },
  };
}
