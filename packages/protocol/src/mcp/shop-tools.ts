import {
  CATALOG_SKILLS,
  COMPLETE_CHECKOUT,
  GET_ORDER,
  OPEN_SKILLS,
} from "../discovery/shop-skills.js";
import type { LiveSkill } from "../discovery/skills.js";
import type { JsonObject } from "../json/value.js";

const TEXT: JsonObject = { type: "string" };
/** What answers have while nothing is selected. Clients check what they send by these schemas, and send it back. */
const SELECTED: JsonObject = { anyOf: [{ type: "string" }, { type: "null" }] };
const objectOf = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required: [...required] }),
});
const listOf = (items: JsonObject, minItems: number): JsonObject => ({
  type: "array",
  minItems,
  items,
});

/**
 * UCP's MCP binding, the same in both versions: who asks, and a key that makes a retry safe. No schema here has a
 * `format`: the validators of many clients know none, and warn of it or refuse the tool.
 */
const META = objectOf(
  {
    "ucp-agent": objectOf(
      { profile: { type: "string", description: "The address of your platform's UCP profile." } },
      ["profile"],
    ),
    "idempotency-key": { type: "string", description: "A new UUID for each change that you want." },
  },
  ["ucp-agent"],
);

const LINE = objectOf(
  { id: TEXT, item: objectOf({ id: TEXT }, ["id"]), quantity: { type: "integer", minimum: 1 } },
  ["item", "quantity"],
);
const LINES = listOf(LINE, 1);
const BUYER = objectOf({ first_name: TEXT, last_name: TEXT, email: TEXT, phone_number: TEXT });
const CONTEXT = objectOf({
  address_country: TEXT,
  address_region: TEXT,
  postal_code: TEXT,
  intent: TEXT,
  language: TEXT,
  currency: TEXT,
  eligibility: listOf(TEXT, 0),
});
const ADDRESS = objectOf({
  id: TEXT,
  type: TEXT,
  street_address: TEXT,
  extended_address: TEXT,
  address_locality: TEXT,
  address_region: TEXT,
  address_country: TEXT,
  postal_code: TEXT,
  first_name: TEXT,
  last_name: TEXT,
  phone_number: TEXT,
});
const FULFILLMENT = objectOf({
  methods: {
    type: "array",
    maxItems: 1,
    items: objectOf({
      id: TEXT,
      type: { type: "string", enum: ["shipping"] },
      line_item_ids: listOf(TEXT, 0),
      destinations: listOf(ADDRESS, 0),
      selected_destination_id: SELECTED,
      groups: {
        type: "array",
        maxItems: 1,
        items: objectOf({ id: TEXT, line_item_ids: listOf(TEXT, 0), selected_option_id: SELECTED }),
      },
    }),
  },
});

const PURCHASE = { line_items: LINES, buyer: BUYER, context: CONTEXT, fulfillment: FULFILLMENT };
/** Delivery is priced by a checkout. A client that finds it here would wait for estimates. */
const CART = objectOf({ line_items: LINES, buyer: BUYER, context: CONTEXT }, ["line_items"]);
/** With a cart its lines count, and the list may be empty or absent. */
const NEW_CHECKOUT = objectOf({ ...PURCHASE, line_items: listOf(LINE, 0), cart_id: TEXT });
const CHECKOUT = objectOf(PURCHASE, ["line_items"]);
const IDS = objectOf({ ids: listOf(TEXT, 1), context: CONTEXT }, ["ids"]);
const PRODUCT = objectOf({ id: TEXT, context: CONTEXT }, ["id"]);
const SEARCH = objectOf({
  query: TEXT,
  context: CONTEXT,
  filters: { type: "object" },
  pagination: objectOf({ cursor: TEXT, limit: { type: "integer", minimum: 1 } }),
});

/** The mandate a completion needs; it may stand in `_meta` instead. */
const MANDATE: JsonObject = {
  ...objectOf({ signed: { type: "object" }, envelope: { type: "object" } }, ["signed", "envelope"]),
  description:
    "The signed mandate, {signed, envelope}, whose arguments are {id} and whose cart_total is the total " +
    "of the checkout. Without it, the result says what to sign.",
};

/** The mandate with which an agent reads its own order. */
const ORDER_MANDATE: JsonObject = {
  ...objectOf({ signed: { type: "object" }, envelope: { type: "object" } }, ["signed", "envelope"]),
  description:
    "For an agent that placed the order with a mandate: a mandate whose skill is get_order and whose " +
    "arguments are {id}. No `meta` is needed then.",
};

/** Tools that need no `meta`: an agent reads its order with a mandate instead. */
const needsNoMeta = (id: string) => OPEN_SKILLS.includes(id) || id === GET_ORDER;

/** The arguments of each tool besides `meta`; those that must be there. */
const ARGUMENTS: Readonly<Record<string, readonly [JsonObject, readonly string[]]>> = {
  search_catalog: [{ catalog: SEARCH }, ["catalog"]],
  lookup_catalog: [{ catalog: IDS }, ["catalog"]],
  get_product: [{ catalog: PRODUCT }, ["catalog"]],
  create_cart: [{ cart: CART }, ["cart"]],
  get_cart: [{ id: TEXT }, ["id"]],
  update_cart: [{ id: TEXT, cart: CART }, ["id", "cart"]],
  cancel_cart: [{ id: TEXT }, ["id"]],
  create_checkout: [{ checkout: NEW_CHECKOUT }, ["checkout"]],
  get_checkout: [{ id: TEXT }, ["id"]],
  update_checkout: [{ id: TEXT, checkout: CHECKOUT }, ["id", "checkout"]],
  complete_checkout: [{ id: TEXT, checkout: { type: "object" }, mandate: MANDATE }, ["id"]],
  cancel_checkout: [{ id: TEXT }, ["id"]],
  get_order: [{ id: TEXT, mandate: ORDER_MANDATE }, ["id"]],
};

const READS = [...CATALOG_SKILLS, "get_cart", "get_checkout", GET_ORDER];

/** What a tool answers with: UCP's own object, or what is wrong. */
const OUTPUT: JsonObject = objectOf({ ucp: { type: "object" }, messages: { type: "array" } });

/** One of UCP's operations as an MCP tool, by its standard name. */
export function shopTool({ id, title, description }: LiveSkill): JsonObject {
  const [properties, required] = ARGUMENTS[id] ?? [{}, []];
  const reads = READS.includes(id);
  return {
    name: id,
    title,
    description,
    inputSchema: objectOf({ meta: META, ...properties }, [
      ...(needsNoMeta(id) ? [] : ["meta"]),
      ...required,
    ]),
    outputSchema: OUTPUT,
    annotations: {
      title,
      readOnlyHint: reads,
      destructiveHint: id === COMPLETE_CHECKOUT,
      idempotentHint: reads,
      openWorldHint: false,
    },
  };
}
