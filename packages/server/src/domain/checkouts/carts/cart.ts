import type { JsonObject } from "@gatehouse/protocol";
import { HOUR_MS } from "../../../infra/time.js";
import {
  type BuyingPlatform,
  isProven,
  type PlatformCaller,
  type WantedLine,
} from "../platform.js";

/** A UCP cart. */
export interface Cart {
  readonly cartId: string;
  readonly siteKeyHash: string;
  /** Names its page. Anybody who knows it can read the page; null for a cart of an earlier version. */
  readonly pageId: string | null;
  /** The platform that created it. No other platform can read it. */
  readonly platform: BuyingPlatform;
  readonly lines: readonly WantedLine[];
  /** What the platform said about the buyer and the location, as it was received. */
  readonly buyer: JsonObject;
  readonly context: JsonObject;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly cancelledAt: number | null;
}

/** The default lifetime in UCP. */
const CART_MS = 6 * HOUR_MS;
/** Shorter, because anybody can create an unsigned cart. */
const UNSIGNED_CART_MS = HOUR_MS;

export const cartMs = (platform: PlatformCaller) =>
  isProven(platform) ? CART_MS : UNSIGNED_CART_MS;

/** The format of cart ids. Any other id is unknown without asking the database. */
export const CART_ID = /^[A-Za-z0-9_-]{1,80}$/;
