import type { JsonObject } from "@gatehouse/protocol";

/** A platform that acts for a buyer. */
export interface PlatformCaller {
  /** The profile it names. */
  readonly url: string;
  /** Whether it has proven that the profile is its own. */
  readonly signed: boolean;
}

/** How many of a product somebody wants. */
export interface WantedLine {
  readonly productId: string;
  readonly quantity: number;
}

/** What a platform gathers before a buyer decides. */
export interface Cart {
  readonly cartId: string;
  readonly siteKeyHash: string;
  /** Who made it, and alone may see it. */
  readonly platform: PlatformCaller;
  readonly lines: readonly WantedLine[];
  /** What the platform says of the buyer, and of where; as it was read. */
  readonly buyer: JsonObject;
  readonly context: JsonObject;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly cancelledAt: number | null;
}

/** UCP's own default for how long such things live. */
export const CART_MS = 6 * 3_600_000;

/**
 * Whether something is a caller's own: the same profile, and, where it was proven when the thing was
 * made, proven now.
 */
export function isOwn(made: PlatformCaller, caller: PlatformCaller): boolean {
  return made.url === caller.url && (caller.signed || !made.signed);
}
