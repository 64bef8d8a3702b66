import type { JsonObject, UcpTotals } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import { HOUR_MS } from "../../infra/time.js";
import { type BuyingPlatform, isProven, type PlatformCaller, type WantedLine } from "./platform.js";

/**
 * open → completing → completed. A failed completion returns to open. Everything except a completed
 * checkout can be cancelled.
 */
type CheckoutStatus = "open" | "completing" | "completed" | "cancelled";

/** A postal address as the platform wrote it: texts only. */
export interface Address extends JsonObject {
  readonly id: string;
}

/** How the goods reach the buyer. */
export interface Delivery {
  readonly addresses: readonly Address[];
  readonly addressId: string | null;
  readonly optionId: string | null;
}

/** What a platform says about a purchase. A change replaces all of it. */
export interface CheckoutContent {
  readonly lines: readonly WantedLine[];
  readonly buyer: JsonObject;
  readonly context: JsonObject;
  readonly delivery: Delivery;
  /** Discount codes, as they were sent; absent if there are none, or the site has no shop system. */
  readonly codes?: readonly string[];
}

/** Why a line cannot be bought. */
export type LineFault =
  | ("not_found" | "unavailable" | "out_of_stock")
  | ("other_currency" | "too_large" | "too_many");

/** One line at the price shown to the platform. */
export interface QuotedLine {
  readonly productId: string;
  readonly title: string;
  readonly imageUrl: string | null;
  readonly quantity: number;
  readonly unitMinor: number;
  readonly amountMinor: number;
}

/** A shipping option at the price shown to the platform. */
export interface QuotedOption {
  readonly id: string;
  readonly title: string;
  readonly amountMinor: number;
  /** Delivery time in days: minimum and maximum. */
  readonly days: readonly [number, number] | null;
}

/** What the shop system takes off. */
interface QuotedDiscount {
  /** The code that it is for; null if it needs none. */
  readonly code: string | null;
  readonly title: string;
  readonly amountMinor: number;
}

/** What a checkout needs before it can be completed. */
export type Missing =
  | ("email" | "address" | "option" | "deliverable" | "payable" | "taxes")
  /** The shop system did not answer. */
  | "shop";

/** The prices shown to the platform last. Exactly these are charged. */
export interface Quote {
  /** Null if nothing can be bought. */
  readonly currency: string | null;
  readonly lines: readonly (QuotedLine | LineFault)[];
  /** Whether the goods must be shipped. */
  readonly ships: boolean;
  readonly options: readonly QuotedOption[];
  readonly totals: UcpTotals;
  /** What the totals have as discount; absent if the site has no shop system. */
  readonly discounts?: readonly QuotedDiscount[];
  /** Discount codes that have no effect. Absent if there are none. */
  readonly rejectedCodes?: readonly string[];
  /** Digest of the owner's terms that were shown; null if the owner has none. */
  readonly terms: string | null;
  readonly missing: readonly Missing[];
  /** When the shop system gave these prices; absent if they are not from a shop system. */
  readonly quotedAt?: number;
}

/** Why a completion did not lead to an order, in words for the platform. */
export interface Problem {
  readonly code: string;
  readonly content: string;
  /** Whether another try cannot succeed. */
  readonly final: boolean;
}

/** The buyer has to finish in the shop, because the platform may not pay here. */
export const NOT_ADMITTED: Problem = Object.freeze({
  code: "platform_not_admitted",
  content:
    "The shop does not accept payments from this platform. The buyer can pay at `continue_url`.",
  final: false,
});

/** The buyer has to finish in the shop for some time, because too many payments are declined there. */
export const HANDED_OFF: Problem = Object.freeze({
  code: "payments_declined",
  content:
    "The shop does not accept payments from this platform for some time. The buyer can pay at `continue_url`.",
  final: false,
});

export const PLATFORM_SUSPENDED: Problem = Object.freeze({
  code: "platform_suspended",
  content: "The shop does not accept orders from this platform.",
  final: true,
});

/** Whether the buyer has to continue in the shop. */
export const isHandedOff = ({ problem }: Checkout): boolean =>
  problem?.code === NOT_ADMITTED.code || problem?.code === HANDED_OFF.code;

/** A UCP checkout: what platform and shop agree on before there is an order. */
export interface Checkout {
  readonly checkoutId: string;
  readonly siteKeyHash: string;
  /** Part of the address of the buyer's page. Anybody who knows it can read the page. */
  readonly pageId: string;
  /** The browser whose buyer it holds, as a digest of its cookie. Other browsers are not shown the buyer. */
  readonly browserMac: string | null;
  /** The platform that created it. No other platform can read it. */
  readonly platform: BuyingPlatform;
  /** The signed terms that were shown. */
  readonly policies: readonly JsonObject[];
  readonly cartId: string | null;
  readonly status: CheckoutStatus;
  readonly content: CheckoutContent;
  readonly quote: Quote;
  readonly problem: Problem | null;
  /** The number of tries to complete it. */
  readonly tries: number;
  /** The decision about the last try; null before the first. */
  readonly decisionId: string | null;
  readonly orderId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The address that was chosen, or the only one. */
export function chosenAddress({ addresses, addressId }: Delivery) {
  const only = addresses.length === 1 ? addresses[0] : undefined;
  return addressId === null ? only : addresses.find(({ id }) => id === addressId);
}

/** The default lifetime in UCP. */
const CHECKOUT_MS = 6 * HOUR_MS;
/** Shorter, because anybody can create an unsigned checkout. */
const UNSIGNED_CHECKOUT_MS = HOUR_MS;

export const checkoutMs = (platform: PlatformCaller) =>
  isProven(platform) ? CHECKOUT_MS : UNSIGNED_CHECKOUT_MS;

/** Whether it can be completed. */
export function isReady({ lines, missing }: Quote): boolean {
  return missing.length === 0 && lines.every((line) => typeof line !== "string");
}

/** The format of checkout ids. Any other id is unknown without asking the database. */
export const CHECKOUT_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** The limit of tries, because a caller that tries many cards is guessing. */
export const TRIES_MAX = 20;

/** The mandate id of the n-th try, so that its decision is found like that of a mandate. */
export const tryId = (checkoutId: string, n: number): string => `${checkoutId}-${n}`;

/** The mandate ids of all tries that a checkout can have. */
export const tryIdsOf = (checkoutId: string): readonly string[] =>
  Array.from({ length: TRIES_MAX + 1 }, (_, n) => tryId(checkoutId, n));

export function emailOf({ content }: Checkout): string | null {
  const { email } = content.buyer;
  return typeof email === "string" && email !== "" ? email : null;
}

/** The page of a checkout for its buyer. The address is the only protection, so only the buyer gets it. */
export function pageUrl(
  { baseUrl }: Pick<Config, "baseUrl">,
  { siteKeyHash, pageId }: Pick<Checkout, "siteKeyHash" | "pageId">,
): string {
  return `${baseUrl}/v1/ucp/${siteKeyHash}/pages/${pageId}`;
}
