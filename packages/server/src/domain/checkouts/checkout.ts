import type { JsonObject, UcpTotals } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import { HOUR_MS } from "../../infra/time.js";
import type { BuyingPlatform, PlatformCaller, WantedLine } from "./platform.js";

/**
 * open → completing → completed; completing → open where nothing came of it; cancelled from any of
 * them but completed.
 */
export type CheckoutStatus = "open" | "completing" | "completed" | "cancelled";

/** Somewhere something can be sent, as a platform wrote it: texts only. */
export interface Address extends JsonObject {
  readonly id: string;
}

/** How it is to reach its buyer. */
export interface Delivery {
  readonly addresses: readonly Address[];
  readonly addressId: string | null;
  readonly optionId: string | null;
}

/** What a platform says of a purchase; replaced as a whole. */
export interface CheckoutContent {
  readonly lines: readonly WantedLine[];
  readonly buyer: JsonObject;
  readonly context: JsonObject;
  readonly delivery: Delivery;
}

/** Why a line cannot be bought as it stands. */
export type LineFault =
  | ("not_found" | "unavailable" | "out_of_stock")
  | ("other_currency" | "too_large" | "too_many");

/** One line at the price that was shown. */
export interface QuotedLine {
  readonly productId: string;
  readonly title: string;
  readonly imageUrl: string | null;
  readonly quantity: number;
  readonly unitMinor: number;
  readonly amountMinor: number;
}

/** A way to have it sent, at the price that was shown. */
export interface QuotedOption {
  readonly id: string;
  readonly title: string;
  readonly amountMinor: number;
  /** How many days it takes, from and to. */
  readonly days: readonly [number, number] | null;
}

/** What a purchase still lacks. */
export type Missing = "email" | "address" | "option" | "deliverable" | "payable" | "taxes";

/** What a platform was shown last, to the unit. Nothing else is ever charged. */
export interface Quote {
  /** Null where nothing can be bought. */
  readonly currency: string | null;
  readonly lines: readonly (QuotedLine | LineFault)[];
  /** Whether what is bought here is sent. */
  readonly ships: boolean;
  readonly options: readonly QuotedOption[];
  readonly totals: UcpTotals;
  /** Digest of the owner's terms it was shown under; null where there are none of theirs. */
  readonly terms: string | null;
  readonly missing: readonly Missing[];
}

/** What kept a completion from coming to an order, in words for the platform. */
export interface Problem {
  readonly code: string;
  readonly content: string;
  /** Whether another try may go better. */
  readonly final: boolean;
}

/** The buyer has to finish at the shop, because the platform may not pay here. */
export const NOT_ADMITTED: Problem = Object.freeze({
  code: "platform_not_admitted",
  content: "The shop does not take payments from this platform. Send the buyer to `continue_url`.",
  final: false,
});

/** The same for some time, because too many payments are declined at this shop. */
export const HANDED_OFF: Problem = Object.freeze({
  code: "payments_declined",
  content:
    "The shop takes no payments from this platform for a while. Send the buyer to `continue_url`.",
  final: false,
});

export const PLATFORM_SUSPENDED: Problem = Object.freeze({
  code: "platform_suspended",
  content: "The shop takes no orders from this platform.",
  final: true,
});

/** Whether its buyer has to continue at the shop. */
export const isHandedOff = ({ problem }: Checkout): boolean =>
  problem?.code === NOT_ADMITTED.code || problem?.code === HANDED_OFF.code;

/** A purchase on its way: what a platform and a shop settle before there is an order. */
export interface Checkout {
  readonly checkoutId: string;
  readonly siteKeyHash: string;
  /** Opens the page for its buyer: whoever has it may look. */
  readonly pageId: string;
  /** Who made it, and alone may see it. */
  readonly platform: BuyingPlatform;
  /** The terms it was shown under, as they were signed. */
  readonly policies: readonly JsonObject[];
  readonly cartId: string | null;
  readonly status: CheckoutStatus;
  readonly content: CheckoutContent;
  readonly quote: Quote;
  readonly problem: Problem | null;
  /** How often it was to be completed. */
  readonly tries: number;
  /** The decision about the last try; null where there was none. */
  readonly decisionId: string | null;
  readonly orderId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Where it goes: the address that was chosen, or the only one there is. */
export function chosenAddress({ addresses, addressId }: Delivery) {
  const only = addresses.length === 1 ? addresses[0] : undefined;
  return addressId === null ? only : addresses.find(({ id }) => id === addressId);
}

/** UCP's own default for how long such things live. */
const CHECKOUT_MS = 6 * HOUR_MS;
/** Shorter, because anybody can create one without proving anything. */
const UNSIGNED_CHECKOUT_MS = HOUR_MS;

export const checkoutMs = ({ signed }: PlatformCaller) =>
  signed ? CHECKOUT_MS : UNSIGNED_CHECKOUT_MS;

/** Whether nothing keeps it from being paid. */
export function isReady({ lines, missing }: Quote): boolean {
  return missing.length === 0 && lines.every((line) => typeof line !== "string");
}

/** How its ids are written. Whatever else is named is none, and no database is asked for it. */
export const CHECKOUT_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** How often one may be tried: a card after another is somebody who guesses. */
export const TRIES_MAX = 20;

/** The buyer's mail address, where there is one. */
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
