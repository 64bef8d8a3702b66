import type { Holder } from "../../infra/quota/stored-bytes.js";

/** A platform that acts for a buyer. */
export interface PlatformCaller {
  /** The profile it names. */
  readonly url: string;
  /** Whether it has proven that the profile is its own. */
  readonly signed: boolean;
}

/** One that may come to an order. */
export interface BuyingPlatform extends PlatformCaller {
  /** Where it wants to hear of its orders; null where it does not. */
  readonly webhookUrl: string | null;
  /** Whose share of the site's stored bytes its carts and checkouts use. */
  readonly holder: Holder;
}

/** How many of a product somebody wants. */
export interface WantedLine {
  readonly productId: string;
  readonly quantity: number;
}

/**
 * Whether something is a caller's own: the same profile, and, where it was proven when the thing was
 * made, proven now.
 */
export function isOwn(made: PlatformCaller, caller: PlatformCaller): boolean {
  return made.url === caller.url && (caller.signed || !made.signed);
}
