import { type JsonObject, type JsonValue, type Money, ok, parseAmount } from "@gatehouse/protocol";
import { bad, type Read } from "./read-fields.js";

/** A lower price, for some time. Its currency is that of the regular price. */
export interface Sale {
  readonly minor: number;
  /** Null: it has begun. */
  readonly from: number | null;
  /** Null: it ends when the owner ends it. */
  readonly until: number | null;
}

/** What a product costs at a moment, and when that changes next. */
export function priceAt(regular: Money, sale: Sale | null, now: number) {
  const { minor, from, until } = sale ?? { minor: regular.minor, from: null, until: null };
  const hasBegun = from === null || from <= now;
  const hasEnded = until !== null && until <= now;
  const next = hasBegun ? until : from;
  return {
    minor: hasBegun && !hasEnded ? minor : regular.minor,
    changesAt: hasEnded ? null : next,
  };
}

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d))?$/;

/** A time with its zone. A date alone is the start of that day in UTC. */
function readTime(value: JsonValue | undefined, name: string): Read<number | null> {
  if (value === undefined || value === null || value === "") return ok(null);
  const text = typeof value === "string" ? value.trim() : "";
  // As `Date` is sure to read it: `+0100` with a colon.
  const time = TIME.test(text)
    ? Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"))
    : Number.NaN;
  if (Number.isNaN(time)) return bad(`${name}: must be a time such as 2030-05-17T08:00:00Z`);
  return ok(time);
}

/** Reads the sale of a product; null if it has none. Times without a sale price mean nothing. */
export function readSale(value: JsonObject, regular: Money): Read<Sale | null> {
  const { sale_price: given } = value;
  if (given === undefined || given === null || given === "") return ok(null);
  const text = typeof given === "string" || typeof given === "number" ? String(given) : "";
  const [, amount = "", currency] = /^\s*(\S+)(?:\s+([A-Za-z]{3}))?\s*$/.exec(text) ?? [];
  if (currency !== undefined && currency.toUpperCase() !== regular.currency) {
    return bad("sale_price: has a different currency than the price");
  }
  const money = parseAmount(amount, regular.currency);
  if (!money.ok) return bad(`sale_price: ${money.detail}; use a number such as 12.50`);
  if (money.value.minor >= regular.minor) return bad("sale_price: must be lower than the price");
  const from = readTime(value.sale_from, "sale_from");
  if (!from.ok) return from;
  const until = readTime(value.sale_until, "sale_until");
  if (!until.ok) return until;
  if (until.value !== null && from.value !== null && until.value <= from.value) {
    return bad("sale_until: must be after sale_from");
  }
  return ok(Object.freeze({ minor: money.value.minor, from: from.value, until: until.value }));
}
