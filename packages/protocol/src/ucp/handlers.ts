import type { JsonObject } from "../json/value.js";

/** How a shop is paid, as far as platforms must know. */
export interface PaymentSetup {
  /** The payment provider, such as `stripe`. Providers without an entry here are paid by mandate only. */
  readonly kind: string;
  /** Whether real money moves. */
  readonly live: boolean;
  /** What wallets need to make tokens for the shop's account; null where the owner gave none. */
  readonly publishableKey: string | null;
  readonly walletMerchantId: string | null;
}

/** A kind of instrument a shop takes: UCP's name for it, and the id instruments name it by. */
const SANDBOX = { name: "dev.gatehouse.sandbox", id: "sandbox", version: "2026-11-01" };
const GOOGLE_PAY = { name: "com.google.pay", id: "gpay", version: "2026-01-23" };

/** The revision of Stripe's interface that wallets make tokens for. */
const STRIPE_VERSION = "2026-10-28.endive";
const NETWORKS = ["AMEX", "DISCOVER", "JCB", "MASTERCARD", "VISA"];

function googlePay(
  { name, domain }: { readonly name: string; readonly domain: string },
  { live, publishableKey, walletMerchantId }: PaymentSetup & { readonly publishableKey: string },
): JsonObject {
  const { id, version } = GOOGLE_PAY;
  const merchant = walletMerchantId === null ? {} : { merchant_id: walletMerchantId };
  const spec = `https://pay.google.com/gp/p/ucp/${version}/`;
  return {
    id,
    version,
    spec,
    schema: `${spec}schemas/config.json`,
    config: {
      api_version: 2,
      api_version_minor: 0,
      environment: live ? "PRODUCTION" : "TEST",
      merchant_info: { ...merchant, merchant_name: name, merchant_origin: domain },
      allowed_payment_methods: [
        {
          type: "CARD",
          parameters: { allowed_auth_methods: ["PAN_ONLY"], allowed_card_networks: NETWORKS },
          tokenization_specification: {
            type: "PAYMENT_GATEWAY",
            parameters: {
              gateway: "stripe",
              "stripe:version": STRIPE_VERSION,
              "stripe:publishableKey": publishableKey,
            },
          },
        },
      ],
    },
  };
}

/**
 * The payment handlers of a shop, as its profile and its answers list them. Without a publishable key
 * no wallet can make a token for a Stripe account, so that none is listed.
 *
 * @example
 * const site = { name: "Fern & Petal", domain: "shop.example.com" };
 * const setup = { kind: "sandbox", live: false, publishableKey: null, walletMerchantId: null };
 * Object.keys(paymentHandlers(site, setup)); //=> ["dev.gatehouse.sandbox"]
 */
export function paymentHandlers(
  site: { readonly name: string; readonly domain: string },
  setup: PaymentSetup,
): JsonObject {
  if (setup.kind === "sandbox") {
    const { name, id, version } = SANDBOX;
    return { [name]: [{ id, version, config: { environment: "TEST" } }] };
  }
  const { kind, publishableKey } = setup;
  if (kind !== "stripe" || publishableKey === null) return {};
  return { [GOOGLE_PAY.name]: [googlePay(site, { ...setup, publishableKey })] };
}

/** The id that instruments name a handler by, for each payment provider. */
const HANDLER_IDS: Readonly<Record<string, string>> = {
  sandbox: SANDBOX.id,
  stripe: GOOGLE_PAY.id,
};
const TOKEN = /^(?:tok|pm)_\w{1,240}$/;

/**
 * The token of an instrument that was made for a shop; undefined where it is of another handler, or
 * holds none. Wallets wrap a token of Stripe's in its JSON.
 *
 * @example
 * const setup = { kind: "stripe", live: false, publishableKey: "pk_test_1", walletMerchantId: null };
 * const credential = { type: "PAYMENT_GATEWAY", token: '{"id":"tok_visa"}' };
 * instrumentToken({ id: "i", handler_id: "gpay", type: "card", credential }, setup); //=> "tok_visa"
 * instrumentToken({ id: "i", handler_id: "other", type: "card", credential }, setup); //=> undefined
 */
export function instrumentToken(
  instrument: JsonObject,
  { kind }: PaymentSetup,
): string | undefined {
  const id = HANDLER_IDS[kind];
  const { handler_id, credential } = instrument;
  if (
    id === undefined ||
    handler_id !== id ||
    typeof credential !== "object" ||
    credential === null
  )
    return undefined;
  const { token } = credential as JsonObject;
  if (typeof token !== "string") return undefined;
  const named = token.startsWith("{") ? idIn(token) : token;
  return TOKEN.test(named) ? named : undefined;
}

function idIn(text: string): string {
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    return typeof id === "string" ? id : "";
  } catch {
    return "";
  }
}
