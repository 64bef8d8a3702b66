import type Stripe from "stripe";
import { methodNamed } from "./cards.ts";
import { innerOf, isOn, listOf, numberOf, type Params, textOf, textsOf } from "./form.ts";
import { confirm } from "./intents.ts";
import type { Ledger } from "./ledger.ts";
import { type Intent, newId, newIntent, type Stamp } from "./objects.ts";
import { invalid, Refusal } from "./refusals.ts";
import { totalOf } from "./session-params.ts";

/** A session as it is kept: its intent by its id. */
export type Session = Stripe.Checkout.Session & { payment_intent: string | null };

interface SessionLine {
  readonly name: string;
  readonly quantity: number;
  readonly unitAmount: number;
}

/** What a session does not show of what it was made with. */
export interface SessionTerms {
  readonly lines: readonly SessionLine[];
  readonly capture_method: Stripe.PaymentIntent.CaptureMethod;
  readonly description: string | null;
  readonly metadata: Record<string, string>;
}

const DAY_S = 86_400;

const mapOf = (params: Params) => ({ ...innerOf(params, "metadata") }) as Record<string, string>;

function lineOf(item: Params): SessionLine {
  const price = innerOf(item, "price_data");
  return {
    name: textOf(innerOf(price, "product_data"), "name") ?? "",
    quantity: numberOf(item, "quantity") ?? 0,
    unitAmount: numberOf(price, "unit_amount") ?? 0,
  };
}

/** What nobody asks for here. */
const UNUSED = {
  after_expiration: null,
  allow_promotion_codes: null,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency_conversion: null,
  customer: null,
  customer_account: null,
  customer_creation: "if_required",
  customer_details: null,
  integration_identifier: null,
  invoice: null,
  invoice_creation: null,
  managed_payments: null,
  origin_context: null,
  payment_link: null,
  payment_method_collection: null,
  payment_method_configuration_details: null,
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  subscription: null,
  wallet_options: null,
} as const;

type Asked = Pick<
  Session,
  | "adaptive_pricing"
  | "allowed_payment_method_types"
  | "amount_total"
  | "cancel_url"
  | "client_reference_id"
  | "currency"
  | "customer_email"
  | "expires_at"
  | "locale"
  | "metadata"
  | "submit_type"
  | "success_url"
>;

function newSession(id: string, stamp: Stamp, url: string, asked: Asked): Session {
  return {
    ...structuredClone(UNUSED),
    ...stamp,
    ...asked,
    id,
    object: "checkout.session",
    mode: "payment",
    status: "open",
    ui_mode: "hosted_page",
    url,
    amount_subtotal: asked.amount_total,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    discounts: [],
    payment_intent: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_status: "unpaid",
    shipping_options: [],
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  };
}

/** Opens a page. It has no intent until somebody tries to pay. */
export function createSession(ledger: Ledger, params: Params): Session {
  const stamp = ledger.stamp();
  const id = newId(stamp.livemode ? "cs_live" : "cs_test");
  const data = innerOf(params, "payment_intent_data");
  const items = listOf(params, "line_items");
  const types = textsOf(params, "allowed_payment_method_types");
  const currency = textOf(innerOf(items[0] ?? {}, "price_data"), "currency") ?? "";
  ledger.sessionTerms.set(id, {
    lines: items.map(lineOf),
    capture_method: textOf(data, "capture_method") ?? "automatic_async",
    description: textOf(data, "description") ?? null,
    metadata: mapOf(data),
  });
  const session = newSession(id, stamp, `${ledger.pagesUrl}/c/pay/${id}`, {
    adaptive_pricing: { enabled: isOn(innerOf(params, "adaptive_pricing"), "enabled") },
    allowed_payment_method_types: types.length === 0 ? null : [...types],
    amount_total: totalOf(params),
    cancel_url: textOf(params, "cancel_url") ?? null,
    client_reference_id: textOf(params, "client_reference_id") ?? null,
    currency: currency.toLowerCase(),
    customer_email: textOf(params, "customer_email") ?? null,
    expires_at: numberOf(params, "expires_at") ?? stamp.created + DAY_S,
    locale: textOf(params, "locale") ?? null,
    metadata: mapOf(params),
    submit_type: textOf(params, "submit_type") ?? null,
    success_url: textOf(params, "success_url") ?? null,
  });
  return ledger.keep(session);
}

/** Closes an open page. Its intent stays as it is: nobody says what Stripe does with it. */
export function expire(ledger: Ledger, session: Session): void {
  if (session.status !== "open") {
    const has = `This Checkout Session has a status of \`${session.status}\`.`;
    throw invalid(`Only Checkout Sessions with a status in ["open"] can be expired. ${has}`);
  }
  Object.assign(session, { status: "expired", url: null });
  ledger.tell("checkout.session.expired", session);
}

/** Closes the pages whose time has come. Nothing else watches the clock. */
export function expireDue(ledger: Ledger): void {
  const { created: now } = ledger.stamp();
  for (const session of ledger.all("checkout.session")) {
    if (session.status === "open" && session.expires_at <= now) expire(ledger, session);
  }
}

export function intentOf(ledger: Ledger, { payment_intent }: Session): Intent | undefined {
  return ledger.find("payment_intent", payment_intent);
}

function openIntent(ledger: Ledger, session: Session): Intent {
  const made = intentOf(ledger, session);
  if (made !== undefined) return made;
  const terms = ledger.sessionTerms.get(session.id);
  if (terms === undefined) throw new Error(`nothing is known of ${session.id}`);
  const { lines: _, ...intentTerms } = structuredClone(terms);
  const intent = newIntent({
    ...ledger.stamp(),
    ...intentTerms,
    id: newId("pi"),
    amount: session.amount_total ?? 0,
    currency: session.currency ?? "",
    allowed_payment_method_types: session.allowed_payment_method_types,
  });
  session.payment_intent = intent.id;
  ledger.tell("payment_intent.created", ledger.keep(intent));
  return intent;
}

/** Ends the session if its intent has what it asked for. */
export function completeIfPaid(ledger: Ledger, session: Session): void {
  const status = intentOf(ledger, session)?.status;
  if (session.status !== "open" || (status !== "requires_capture" && status !== "succeeded"))
    return;
  // What is held is not paid yet.
  const payment_status = status === "succeeded" ? "paid" : "unpaid";
  Object.assign(session, { status: "complete", url: null, payment_status });
  session.customer_details = {
    address: null,
    business_name: null,
    email: session.customer_email ?? "buyer@example.com",
    individual_name: null,
    name: "A buyer",
    phone: null,
    tax_exempt: "none",
    tax_ids: [],
  };
  ledger.tell("checkout.session.completed", session);
}

/** Somebody tries to pay an open page with a test card of Stripe's. */
export function payWith(ledger: Ledger, session: Session, card: string): void {
  const intent = openIntent(ledger, session);
  try {
    confirm(ledger, intent, methodNamed(ledger, `pm_card_${card}`), { noActions: false });
  } catch (error) {
    // The intent says why. On a page nobody else is told.
    if (!(error instanceof Refusal)) throw error;
  }
  completeIfPaid(ledger, session);
}
