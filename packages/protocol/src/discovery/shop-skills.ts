import type { BuiltInSkill } from "./built-in-skills.js";

function shopSkill(title: string, description: string, question: string): BuiltInSkill {
  return Object.freeze({ title, description, tags: Object.freeze(["commerce", "ucp"]), question });
}

/** The skill that pays for a checkout. */
export const COMPLETE_CHECKOUT = "complete_checkout";
/** The skill that shows an order to whoever placed it: an agent by a mandate, a platform by a signed request. */
export const GET_ORDER = "get_order";

/**
 * What a site that sells offers through UCP, by UCP's own names of operations. Nobody switches them
 * on: they are live while every gate is open, unless the owner switches one off.
 */
export const SHOP_SKILLS: Readonly<Record<string, BuiltInSkill>> = Object.freeze({
  search_catalog: shopSkill(
    "Search the catalog",
    "Find products of this site by words and price.",
    "What does {site} sell?",
  ),
  lookup_catalog: shopSkill(
    "Look up products",
    "Look up products of this site by their ids.",
    "What does {site} say about these products?",
  ),
  get_product: shopSkill(
    "Get a product",
    "See one product of this site: its price, and whether it can be ordered.",
    "What does this product of {site} cost?",
  ),
  create_cart: shopSkill(
    "Create a cart",
    "Put products of this site into a cart at current prices. The continue_url in the answer is the page where a " +
      "person can order and pay for them. Nothing is reserved or paid yet.",
    "Can you put this into a cart at {site}?",
  ),
  get_cart: shopSkill(
    "Get a cart",
    "See what is in a cart, at current prices.",
    "What is in my cart at {site}?",
  ),
  update_cart: shopSkill(
    "Update a cart",
    "Replace what is in a cart.",
    "Can you change my cart at {site}?",
  ),
  cancel_cart: shopSkill("Cancel a cart", "Cancel a cart.", "Can you empty my cart at {site}?"),
  create_checkout: shopSkill(
    "Create a checkout",
    "Start a purchase with products or a cart. Nothing is paid yet.",
    "Can you start an order at {site}?",
  ),
  get_checkout: shopSkill(
    "Get a checkout",
    "See the status of a purchase, what is missing, and what it costs.",
    "What is the status of my order at {site}?",
  ),
  update_checkout: shopSkill(
    "Update a checkout",
    "Replace the products, the buyer or the delivery of a purchase.",
    "Can you send my order from {site} to another address?",
  ),
  [COMPLETE_CHECKOUT]: shopSkill(
    "Complete a checkout",
    "Pay for a purchase. Over MCP this needs a signed mandate. The payment is authorized, not captured.",
    "Can you buy this from {site}?",
  ),
  cancel_checkout: shopSkill(
    "Cancel a checkout",
    "Cancel a purchase before it becomes an order.",
    "Can you cancel my purchase at {site}?",
  ),
  [GET_ORDER]: shopSkill(
    "Get an order",
    "See the status of an order: shipments, cancellations and refunds. Only the caller that placed the order can " +
      "see it: an agent with a signed mandate, or a platform with a signed request.",
    "Where is my order from {site}?",
  ),
});

/** Skills that tell what the shop's own pages tell. */
export const CATALOG_SKILLS: readonly string[] = Object.freeze([
  "search_catalog",
  "lookup_catalog",
  "get_product",
]);

/**
 * Skills that need no profile over MCP. Chat assistants have none: they choose products, and their person
 * pays on the page that the cart's `continue_url` leads to.
 */
export const OPEN_SKILLS: readonly string[] = Object.freeze([
  ...CATALOG_SKILLS,
  "create_cart",
  "get_cart",
  "update_cart",
  "cancel_cart",
]);

/**
 * Whether a skill is one of UCP's operations.
 *
 * @example
 * isShopSkill("create_checkout"); //=> true
 * isShopSkill("place_order"); //=> false
 */
export function isShopSkill(id: string): boolean {
  return Object.hasOwn(SHOP_SKILLS, id);
}
