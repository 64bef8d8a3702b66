import { hash } from "node:crypto";
import { canonicalize, type JsonValue } from "@gatehouse/protocol";
import { MINUTE_MS } from "../../infra/time.js";

/** The parts of an address that a shop's prices depend on. Only the country is always there. */
export interface QuotedPlace {
  readonly country: string;
  readonly region: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly street: string | null;
}

/** Few, because each quote tries all of them, and a code can be guessed. */
export const COUPONS_MAX = 5;
export const COUPON_CHARS_MAX = 100;

/** A cart, as a shop system is asked about it. */
export interface ShopQuestion {
  readonly siteKeyHash: string;
  readonly currency: string;
  readonly lines: readonly { readonly product_id: string; readonly quantity: number }[];
  readonly destination: QuotedPlace | null;
  readonly option_id: string | null;
  readonly coupons: readonly string[];
}

/** Why the shop cannot sell a line. */
export const SHOP_LINE_FAULTS = ["not_found", "unavailable", "out_of_stock"] as const;
type ShopLineFault = (typeof SHOP_LINE_FAULTS)[number];

interface ShopDiscount {
  readonly code: string | null;
  readonly title: string;
  readonly amountMinor: number;
}

/** What a shop system would charge for a cart. */
export interface AnsweredQuote {
  readonly kind: "answered";
  /** The unit price of each line of the question, or why it cannot be bought. */
  readonly lines: readonly (number | ShopLineFault)[];
  readonly ships: boolean;
  readonly options: readonly {
    readonly id: string;
    readonly title: string;
    readonly amountMinor: number;
    readonly days: readonly [number, number] | null;
  }[];
  readonly discounts: readonly ShopDiscount[];
  /** Absent if there are none. */
  readonly fees?: readonly { readonly title: string; readonly amountMinor: number }[];
  readonly rejectedCoupons: readonly string[];
  readonly taxMinor: number;
  readonly totalMinor: number;
}

/** `unanswered`: the shop system did not answer, or not as the contract says. */
export type ShopQuote = AnsweredQuote | { readonly kind: "unanswered" };

/** Agents that browse or fill a cart are shown a quote for this long. */
export const QUOTE_SHOWN_MS_MAX = 15 * MINUTE_MS;
/** A purchase needs a quote that is not older than this. */
export const QUOTE_LIVE_MS_MAX = MINUTE_MS;
/** A shop system that did not answer is not asked the same again before this. */
export const UNANSWERED_MS = 10_000;

/** Names a question, so that its answer is found again. */
export function questionDigest(question: ShopQuestion): string {
  return hash("sha256", canonicalize(question as unknown as JsonValue), "hex");
}
