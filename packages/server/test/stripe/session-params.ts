import { innerOf, listOf, numberOf, type Params, textOf, textsOf } from "./form.ts";
import type { Ledger } from "./ledger.ts";
import {
  CAPTURES,
  checkAmount,
  checkCurrency,
  checkOneOf,
  checkStep,
  Each,
  required,
  type Shape,
} from "./params.ts";
import { invalid } from "./refusals.ts";

/** What a session can be made with here. */
export const CREATE_SESSION: Shape = {
  adaptive_pricing: { enabled: "boolean" },
  allowed_payment_method_types: "texts",
  cancel_url: "text",
  client_reference_id: "text",
  customer_email: "text",
  expand: "texts",
  expires_at: "integer",
  line_items: new Each({
    quantity: "integer",
    price_data: { currency: "text", unit_amount: "integer", product_data: { name: "text" } },
  }),
  locale: "text",
  metadata: "map",
  mode: "text",
  payment_intent_data: { capture_method: "text", description: "text", metadata: "map" },
  submit_type: "text",
  success_url: "text",
};

const ITEMS_MAX = 100;
const NAME_CHARS_MAX = 5000;
const REFERENCE_CHARS_MAX = 200;
const OPEN_S_MIN = 1800;
const OPEN_S_MAX = 86_400;
const SUBMIT_TYPES = ["auto", "book", "donate", "pay", "subscribe"];
const LOCALES = (
  "auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb " +
  "nl pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW"
).split(" ");

function checkUrl(url: string | undefined, param: string): void {
  if (url === undefined) return;
  const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!isUrl) throw invalid("Not a valid URL", { code: "url_invalid", param });
}

function checkLength(text: string | undefined, max: number, param: string): void {
  if (text === undefined || text.length <= max) return;
  throw invalid(`Invalid string: must be at most ${max} characters`, { param });
}

function checkItem(item: Params, param: string, currencyOfAll: string | undefined): string {
  const price = innerOf(item, "price_data");
  const place = `${param}[price_data]`;
  const currency = required(price, "currency", place).toLowerCase();
  checkCurrency(currency, `${place}[currency]`);
  if (currencyOfAll !== undefined && currencyOfAll !== currency) {
    throw invalid("All line items must have the same currency.", { param: `${place}[currency]` });
  }
  required(price, "unit_amount", place);
  const amount = numberOf(price, "unit_amount") ?? 0;
  if (amount < 0) {
    const details = { code: "parameter_invalid_integer", param: `${place}[unit_amount]` };
    throw invalid("This value must be greater than or equal to 0.", details);
  }
  checkStep(amount, currency, `${place}[unit_amount]`);
  const product = innerOf(price, "product_data");
  const name = required(product, "name", `${place}[product_data]`);
  checkLength(name, NAME_CHARS_MAX, `${place}[product_data][name]`);
  required(item, "quantity", param);
  if ((numberOf(item, "quantity") ?? 0) < 1) {
    const details = { code: "parameter_invalid_integer", param: `${param}[quantity]` };
    throw invalid("This value must be greater than or equal to 1.", details);
  }
  return currency;
}

function checkItems(params: Params): void {
  const items = listOf(params, "line_items");
  if (items.length === 0) {
    const details = { code: "parameter_missing", param: "line_items" };
    throw invalid("Missing required param: line_items.", details);
  }
  if (items.length > ITEMS_MAX) {
    throw invalid(`Array line_items exceeded maximum ${ITEMS_MAX} elements.`, {
      param: "line_items",
    });
  }
  let currency: string | undefined;
  for (const [i, item] of items.entries()) {
    currency = checkItem(item, `line_items[${i}]`, currency);
  }
  checkAmount(totalOf(params), "line_items");
}

export function totalOf(params: Params): number {
  return listOf(params, "line_items").reduce((total, item) => {
    const price = innerOf(item, "price_data");
    return total + (numberOf(price, "unit_amount") ?? 0) * (numberOf(item, "quantity") ?? 0);
  }, 0);
}

function checkExpiry(expiresAt: number | undefined, now: number): void {
  if (expiresAt === undefined) return;
  const param = "expires_at";
  if (expiresAt < now + OPEN_S_MIN) {
    const words = "must be at least 30 minutes from Checkout Session creation";
    throw invalid(`The \`expires_at\` timestamp ${words}.`, { param });
  }
  if (expiresAt > now + OPEN_S_MAX) {
    const words = "must be less than 24 hours from Checkout Session creation";
    throw invalid(`The \`expires_at\` timestamp ${words}.`, { param });
  }
}

/** What a session may be made with, beyond what each parameter must look like. */
export function checkSession(params: Params, _: string | undefined, ledger: Ledger): void {
  checkOneOf(required(params, "mode"), ["payment"], "mode");
  checkUrl(required(params, "success_url"), "success_url");
  checkUrl(textOf(params, "cancel_url"), "cancel_url");
  checkItems(params);
  checkExpiry(numberOf(params, "expires_at"), ledger.stamp().created);
  const reference = textOf(params, "client_reference_id");
  checkLength(reference, REFERENCE_CHARS_MAX, "client_reference_id");
  const email = textOf(params, "customer_email");
  if (email !== undefined && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
    const details = { code: "email_invalid", param: "customer_email" };
    throw invalid(`Invalid email address: ${email}`, details);
  }
  checkOneOf(textOf(params, "locale"), LOCALES, "locale");
  checkOneOf(textOf(params, "submit_type"), SUBMIT_TYPES, "submit_type");
  const captured = textOf(innerOf(params, "payment_intent_data"), "capture_method");
  checkOneOf(captured, CAPTURES, "payment_intent_data[capture_method]");
  for (const type of textsOf(params, "allowed_payment_method_types")) {
    checkOneOf(type, ["card"], "allowed_payment_method_types");
  }
}
