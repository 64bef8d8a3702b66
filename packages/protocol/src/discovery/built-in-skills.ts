import { COMPLETE_CHECKOUT, isShopSkill, SHOP_SKILLS } from "./shop-skills.js";

/** The words a skill comes with. */
export interface BuiltInSkill {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** `{site}` stands for the site's name. */
  readonly question: string;
}

function builtIn(title: string, description: string, tag: string, question: string): BuiltInSkill {
  return Object.freeze({ title, description, tags: Object.freeze([tag]), question });
}

/** Business skills every site has the words for. Texts are ASCII: some A2A readers need that. */
export const BUILT_IN_SKILLS: Readonly<Record<string, BuiltInSkill>> = Object.freeze({
  get_pricing: builtIn(
    "Get pricing",
    "Find out what the products or plans of this site cost.",
    "pricing",
    "What does {site} cost?",
  ),
  request_demo: builtIn(
    "Request a demo",
    "Ask this site for a demonstration.",
    "sales",
    "How can I get a demo of {site}?",
  ),
  sign_up: builtIn(
    "Sign up",
    "Create an account with this site.",
    "account",
    "Where do I sign up for {site}?",
  ),
  book_meeting: builtIn(
    "Book a meeting",
    "Find a time to talk with somebody from this site.",
    "sales",
    "How do I book a meeting with {site}?",
  ),
  contact_support: builtIn(
    "Contact support",
    "Reach the people who help customers of this site.",
    "support",
    "How do I reach the support of {site}?",
  ),
  get_status: builtIn(
    "Get status",
    "See whether the services of this site are running.",
    "status",
    "Is {site} up?",
  ),
  get_trust_center: builtIn(
    "Get the trust center",
    "Read about the security, privacy and compliance of this site.",
    "trust",
    "How does {site} protect my data?",
  ),
});

/** Skills that do more than answer with a link. Their names are taken; they take no URL. */
export const RESERVED_SKILLS: readonly string[] = Object.freeze([
  "place_order",
  ...Object.keys(SHOP_SKILLS),
]);

/** The skill that buys: live while a site sells to agents, and its owner has switched it on. */
export const PLACE_ORDER = "place_order";

/** The words it comes with. */
const PLACE_ORDER_WORDS: BuiltInSkill = builtIn(
  "Place an order",
  "Buy products of this site. This needs a signed mandate, and takes no address. If goods must be sent, call create_checkout instead. " +
    "The payment is authorized, not captured.",
  "commerce",
  "How can I buy something from {site}?",
);

/**
 * Whether a skill moves money, and so needs a mandate with a cart.
 *
 * @example
 * movesMoney("place_order"); //=> true
 * movesMoney("get_pricing"); //=> false
 */
export function movesMoney(skill: string): boolean {
  return skill === PLACE_ORDER || skill === COMPLETE_CHECKOUT;
}

/**
 * The words that come with a skill; undefined for an owner's own.
 *
 * @example
 * builtInSkill("get_pricing")?.title; //=> "Get pricing"
 * builtInSkill("constructor"); //=> undefined
 */
export function builtInSkill(id: string): BuiltInSkill | undefined {
  if (id === PLACE_ORDER) return PLACE_ORDER_WORDS;
  if (isShopSkill(id)) return SHOP_SKILLS[id];
  return Object.hasOwn(BUILT_IN_SKILLS, id) ? BUILT_IN_SKILLS[id] : undefined;
}
