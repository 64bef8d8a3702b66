import { innerOf, isOn, numberOf, type Param, type Params, textOf } from "./form.ts";
import { invalid } from "./refusals.ts";

/** What a parameter must be. Parameters that are not simulated are as unknown as misspelt ones. */
type Kind = "text" | "integer" | "boolean" | "texts" | "map";
export interface Shape {
  readonly [name: string]: Kind | Shape | Each;
}

/** A list of objects that all have the same shape. */
export class Each {
  readonly shape: Shape;

  constructor(shape: Shape) {
    this.shape = shape;
  }
}

const RANGE: Shape = { gt: "integer", gte: "integer", lt: "integer", lte: "integer" };
export const LIST: Shape = {
  created: RANGE,
  limit: "integer",
  starting_after: "text",
  expand: "texts",
};

function fits(kind: Kind, value: Param): boolean {
  if (kind === "texts")
    return Array.isArray(value) && value.every((one) => typeof one === "string");
  if (kind === "map") {
    const all = typeof value === "object" && !Array.isArray(value) ? Object.values(value) : [value];
    return typeof value === "object" && all.every((one) => typeof one === "string");
  }
  if (typeof value !== "string") return false;
  if (kind === "boolean") return value === "true" || value === "false";
  return kind === "text" || /^-?\d{1,15}$/.test(value);
}

function checkEach({ shape }: Each, list: Param, param: string): void {
  if (!Array.isArray(list)) throw invalid("Invalid array", { param });
  for (const [i, one] of list.entries()) {
    const place = `${param}[${i}]`;
    if (typeof one !== "object") throw invalid("Invalid object", { param: place });
    checkShape(shape, one, place);
  }
}

/** Throws what Stripe answers to parameters it cannot read. */
export function checkShape(shape: Shape, params: Params, within = ""): void {
  for (const [name, value] of Object.entries(params)) {
    const param = within === "" ? name : `${within}[${name}]`;
    const kind = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (kind === undefined) {
      throw invalid(`Received unknown parameter: ${param}`, { code: "parameter_unknown", param });
    }
    if (kind instanceof Each) {
      checkEach(kind, value, param);
    } else if (typeof kind === "object") {
      if (typeof value !== "object") throw invalid("Invalid object", { param });
      checkShape(kind, innerOf(params, name), param);
    } else if (kind === "integer" && !fits(kind, value)) {
      throw invalid(`Invalid integer: ${value}`, { code: "parameter_invalid_integer", param });
    } else if (!fits(kind, value)) {
      throw invalid(`Invalid ${kind}`, { param });
    } else if (value === "") {
      throw invalid(`${param} may not be empty`, { code: "parameter_invalid_empty", param });
    }
  }
}

const CURRENCIES = new Set(
  (
    "aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn " +
    "bzd cad cdf chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd " +
    "gnf gtq gyd hkd hnl htg huf idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak " +
    "lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd " +
    "omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd szl " +
    "thb tjs tnd top try ttd twd tzs uah ugx usd uyu uzs vnd vuv wst xaf xcd xcg xof xpf yer zar zmw"
  ).split(" "),
);
const THREE_DECIMALS = new Set(["bhd", "jod", "kwd", "omr", "tnd"]);
/** Written with two decimals that are always zero. */
const WHOLE_ONLY = new Set(["isk", "ugx"]);
const AMOUNT_MAX = 99_999_999;

export function required(params: Params, name: string, within = ""): string {
  const value = textOf(params, name);
  if (value !== undefined) return value;
  const param = within === "" ? name : `${within}[${name}]`;
  throw invalid(`Missing required param: ${param}.`, { code: "parameter_missing", param });
}

export function checkAmount(amount: number | undefined, param: string): void {
  if (amount === undefined) return;
  if (amount < 1) {
    const details = { code: "parameter_invalid_integer", param };
    throw invalid("This value must be greater than or equal to 1.", details);
  }
  if (amount > AMOUNT_MAX) {
    throw invalid("Amount must be no more than 99999999.", { code: "amount_too_large", param });
  }
}

export function checkCurrency(currency: string, param: string): void {
  if (!CURRENCIES.has(currency)) throw invalid(`Invalid currency: ${currency}.`, { param });
}

function checkSum(amount: number, currency: string): void {
  checkAmount(amount, "amount");
  checkCurrency(currency, "currency");
  checkStep(amount, currency, "amount");
}

export function checkStep(amount: number, currency: string, param: string): void {
  const step = THREE_DECIMALS.has(currency) ? 10 : WHOLE_ONLY.has(currency) ? 100 : 1;
  if (amount % step === 0) return;
  throw invalid(`Amounts of ${currency} must be divisible by ${step}.`, { param });
}

export const CAPTURES: readonly string[] = ["automatic", "automatic_async", "manual"];

export function checkOneOf(
  value: string | undefined,
  allowed: readonly string[],
  param: string,
): void {
  if (value === undefined || allowed.includes(value)) return;
  throw invalid(`Invalid ${param}: must be one of ${allowed.join(", ")}`, { param });
}

/** What an intent may be made with, beyond what each parameter must look like. */
export function checkIntent(params: Params, apiVersion: string | undefined): void {
  required(params, "amount");
  checkSum(numberOf(params, "amount") ?? 0, required(params, "currency").toLowerCase());
  checkOneOf(textOf(params, "capture_method"), CAPTURES, "capture_method");
  const shared = "payment_method_data[shared_payment_granted_token]";
  const isShared = "shared_payment_granted_token" in innerOf(params, "payment_method_data");
  if (isShared && !apiVersion?.endsWith(".preview")) {
    const details = { code: "parameter_unknown", param: shared };
    throw invalid(`Received unknown parameter: ${shared}`, details);
  }
  const confirmed = isOn(params, "confirm");
  const method = "payment_method" in params || "payment_method_data" in params;
  if (confirmed && !method) {
    const details = { code: "payment_intent_unexpected_state" };
    throw invalid("This PaymentIntent cannot be confirmed: it has no payment method.", details);
  }
  if (!confirmed && isOn(params, "error_on_requires_action")) {
    const details = { param: "error_on_requires_action" };
    throw invalid("error_on_requires_action is only for confirm=true.", details);
  }
}

const LIMIT_MAX = 100;

export function checkList(params: Params): void {
  const limit = numberOf(params, "limit") ?? 1;
  if (limit >= 1 && limit <= LIMIT_MAX) return;
  const details = { code: "parameter_invalid_integer", param: "limit" };
  throw invalid("limit must be between 1 and 100.", details);
}
