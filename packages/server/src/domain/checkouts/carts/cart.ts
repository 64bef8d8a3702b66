import type { JsonObject } from "@gatehouse/protocol";
import type { Holder } from "../../../infra/quota/stored-bytes.js";
import { HOUR_MS } from "../../../infra/time.js";
import type { PlatformCaller, WantedLine } from "../platform.js";

/** What a platform gathers before a buyer decides. */
export interface Cart {
  readonly cartId: string;
  readonly siteKeyHash: string;
  /** Who made it, and alone may see it. */
  readonly platform: PlatformCaller;
  /** Whose share of the site's stored bytes it uses. */
  readonly holder: Holder;
  readonly lines: readonly WantedLine[];
  /** What the platform says of the buyer, and of where; as it was read. */
  readonly buyer: JsonObject;
  readonly context: JsonObject;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly cancelledAt: number | null;
}

/** UCP's own default for how long such things live. */
const CART_MS = 6 * HOUR_MS;
/** Shorter, because anybody can create one without proving anything. */
const UNSIGNED_CART_MS = HOUR_MS;

export const cartMs = ({ signed }: PlatformCaller) => (signed ? CART_MS : UNSIGNED_CART_MS);

/** How its ids are written. Whatever else is named is none, and no database is asked for it. */
export const CART_ID = /^[A-Za-z0-9_-]{1,80}$/;
