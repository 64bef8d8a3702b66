import type { Money } from "@gatehouse/protocol";
import type Stripe from "stripe";
import type { PageLine, PageRequest } from "../provider.js";
import { stripeAmount } from "./amounts.js";
import { metadataOf } from "./intents.js";

type Params = Stripe.Checkout.SessionCreateParams;
type Item = Stripe.Checkout.SessionCreateParams.LineItem;

/** Stripe accepts 5000 characters. More than this is no use to a buyer. */
const NAME_CHARS_MAX = 250;

const LOCALES = (
  "bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl " +
  "pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW"
).split(" ");
/** Stripe's locales, and other names of theirs, by their lower-case tags. */
const LOCALE_BY_TAG: ReadonlyMap<string, string> = new Map([
  ...LOCALES.map((locale) => [locale.toLowerCase(), locale] as const),
  ["hi", "hi-IN"],
  ["no", "nb"],
  ["nn", "nb"],
  ["zh-hant", "zh-TW"],
]);

/** Stripe's locale for a language; a regional one if there is one, `auto` if there is none. */
function localeOf(language: string): Stripe.Checkout.SessionCreateParams.Locale {
  const subtags = language.toLowerCase().split("-");
  for (let count = subtags.length; count > 0; count--) {
    const locale = LOCALE_BY_TAG.get(subtags.slice(0, count).join("-"));
    if (locale !== undefined) return locale;
  }
  return "auto";
}

function itemOf({ title, quantity, unitMinor }: PageLine, currency: string): Item | undefined {
  const item = (name: string, unit_amount: number, count: number): Item => ({
    quantity: count,
    price_data: {
      currency: currency.toLowerCase(),
      unit_amount,
      product_data: { name: [...name].slice(0, NAME_CHARS_MAX).join("") },
    },
  });
  if (unitMinor === 0) return item(title, 0, quantity);
  const unit = stripeAmount({ currency, minor: unitMinor });
  if (unit.ok) return item(title, unit.value, quantity);
  // The sum of a line may be exact although its unit price is not: two for 0.125 dinars each are 0.250.
  const sum = stripeAmount({ currency, minor: unitMinor * quantity });
  return sum.ok ? item(`${quantity} × ${title}`, sum.value, 1) : undefined;
}

/** Undefined if Stripe cannot show the amount exactly. */
function itemsOf(lines: readonly PageLine[], { currency, minor }: Money): Item[] | undefined {
  const sum = lines.reduce((total, { quantity, unitMinor }) => total + quantity * unitMinor, 0);
  if (sum !== minor || !stripeAmount({ currency, minor }).ok) return undefined;
  const items = lines.map((line) => itemOf(line, currency));
  if (items.every((item) => item !== undefined)) return items;
  // The sum may be exact although its lines are not.
  const title = lines.map((line) => `${line.quantity} × ${line.title}`).join(", ");
  const whole = itemOf({ title, quantity: 1, unitMinor: minor }, currency);
  return whole && [whole];
}

/** Addresses that Stripe takes. Without one the buyer enters it on the page. */
const EMAIL = /^[!-?A-~]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;

/** The query is for people who read logs. Whether the page was paid is read from Stripe. */
function returnTo(returnUrl: string, paid: "0" | "1"): string {
  const url = new URL(returnUrl);
  url.searchParams.set("paid", paid);
  return url.href;
}

/** The parameters of a page; undefined if Stripe cannot show its lines and its amount exactly. */
export function pageParams(request: PageRequest): Params | undefined {
  const { email, returnUrl } = request;
  const line_items = itemsOf(request.lines, request.amount);
  if (line_items === undefined) return undefined;
  const metadata = metadataOf(request);
  return {
    mode: "payment",
    allowed_payment_method_types: ["card"],
    line_items,
    payment_intent_data: { capture_method: "manual", metadata },
    metadata,
    client_reference_id: request.idempotencyKey,
    ...(email !== null && EMAIL.test(email) ? { customer_email: email } : {}),
    locale: localeOf(request.language),
    // The buyer pays the agreed amount, even if the account has a setting for other currencies.
    adaptive_pricing: { enabled: false },
    success_url: returnTo(returnUrl, "1"),
    cancel_url: returnTo(returnUrl, "0"),
    expires_at: Math.floor(request.closesAt / 1000),
    submit_type: "pay",
  };
}
