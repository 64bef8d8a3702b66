import { CATALOG_SKILLS, COMPLETE_CHECKOUT, GET_ORDER, isShopSkill } from "./shop-skills.js";

/** What a site offers to those who buy. */
export interface Offer {
  /** The skills that buy and that can succeed now: see `permittedSkills`. */
  readonly buying: readonly string[];
  /** Whether there are orders to ask about. */
  readonly hasOrders: boolean;
  /** Whether a buyer can use discount codes: those of the site's shop system. */
  readonly takesCodes?: boolean;
}

export const NO_OFFER: Offer = Object.freeze({ buying: Object.freeze([]), hasOrders: false });

/** Everything that a shop can offer. */
export const FULL_OFFER: Offer = Object.freeze({
  buying: Object.freeze(["place_order", "complete_checkout"]),
  hasOrders: true,
});

/**
 * Says in one sentence whether and how agents can buy.
 *
 * @example
 * buyingText(["complete_checkout", "place_order"]); //=> "Agents can buy."
 * buyingText([]); //=> "Agents cannot buy yet."
 */
export function buyingText(buying: readonly string[]): string {
  const [takesRequests, checksOut] = FULL_OFFER.buying.map((id) => buying.includes(id));
  if (takesRequests && checksOut) return "Agents can buy.";
  if (checksOut)
    return "Agents can buy at checkout (UCP), but not with signed requests (mandates).";
  if (takesRequests) {
    return "Agents can buy with signed requests (mandates), but not at checkout (UCP).";
  }
  return "Agents cannot buy yet.";
}

/**
 * Whether a skill of a shop leads anywhere: what cannot end with an order is not begun. Products can be
 * read while something can be bought, orders while there are any.
 *
 * @example
 * const offer = { buying: ["place_order"], hasOrders: false };
 * isOffered("place_order", offer); //=> true
 * isOffered("search_catalog", offer); //=> true
 * isOffered("create_cart", offer); //=> false
 */
export function isOffered(id: string, { buying, hasOrders }: Offer): boolean {
  if (!isShopSkill(id)) return buying.includes(id);
  if (id === GET_ORDER) return hasOrders || buying.length > 0;
  return CATALOG_SKILLS.includes(id) ? buying.length > 0 : buying.includes(COMPLETE_CHECKOUT);
}
