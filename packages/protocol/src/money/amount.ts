import { ok, type Result, refuse } from "../result.js";
import { minorUnitDigits } from "./iso4217.js";

/** An exact sum: whole minor units (cents, fils, yen) of one currency. */
export interface Money {
  readonly currency: string;
  /** A safe integer, never negative. */
  readonly minor: number;
}

/** Why a declared amount is not money. */
export type AmountFault = "unknown_currency" | "not_an_amount" | "too_precise" | "too_large";

const AMOUNT = /^(0|[1-9]\d{0,11})(?:\.(\d{1,4}))?$/;

/**
 * Reads a decimal amount exactly, without floating point. A number is read by its shortest text,
 * so `0.1` is ten cents, and `1e21` is refused like any other text that is not a plain decimal.
 *
 * @example
 * parseAmount("12.5", "EUR"); //=> { ok: true, value: { currency: "EUR", minor: 1250 } }
 * parseAmount("12.5", "JPY").reason; //=> "too_precise"
 * parseAmount("1,000", "EUR").reason; //=> "not_an_amount"
 */
export function parseAmount(amount: string | number, currency: string): Result<Money, AmountFault> {
  const digits = minorUnitDigits(currency);
  if (digits === undefined) {
    return refuse("unknown_currency", "the currency is not an active ISO 4217 code");
  }
  // Callers in plain JavaScript may pass anything; an array of one string reads like a string.
  const text = typeof amount === "number" || typeof amount === "string" ? String(amount) : "";
  const match = AMOUNT.exec(text);
  if (match === null) return refuse("not_an_amount", "the amount is not a plain decimal");
  const [, whole = "0", fraction = ""] = match;
  if (fraction.length > digits) {
    return refuse("too_precise", `${currency} has ${digits} digits after the point`);
  }
  const minor = Number(BigInt(whole + fraction.padEnd(digits, "0")));
  if (!Number.isSafeInteger(minor)) {
    return refuse("too_large", "the amount does not fit in exact integer arithmetic");
  }
  return ok(Object.freeze({ currency, minor }));
}

/**
 * The decimal text of a sum, with every digit of the currency's minor unit.
 *
 * @example
 * formatAmount({ currency: "EUR", minor: 5 }); //=> "0.05"
 * formatAmount({ currency: "JPY", minor: 500 }); //=> "500"
 */
export function formatAmount({ currency, minor }: Money): string {
  const digits = minorUnitDigits(currency);
  if (digits === undefined || !Number.isSafeInteger(minor) || minor < 0) {
    throw new RangeError("formatAmount: not a sum of a known currency");
  }
  if (digits === 0) return String(minor);
  const text = String(minor).padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
