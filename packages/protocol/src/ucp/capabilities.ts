import type { Offer } from "../discovery/offer.js";
import { COMPLETE_CHECKOUT } from "../discovery/shop-skills.js";
import type { UcpVersion } from "./versions.js";

/** Where UCP publishes everything of one version. */
const published = (version: UcpVersion) => `https://ucp.dev/${version}`;

/** The one service of UCP that a shop has. */
export const SHOPPING = "dev.ucp.shopping";

interface CapabilityPlace {
  readonly spec: Readonly<Record<UcpVersion, string>>;
  readonly schema: string;
  /** What it adds to: without that it is nothing. */
  readonly extends?: string;
}

/** Both versions describe a capability by a schema of the same name, and explain it at other places. */
const explainedAt = (latest: string, april: string) => ({
  "2026-08-25": `specification/shopping/${latest}`,
  "2026-04-08": `specification/${april}`,
});

/** What a shop can do, by UCP's names: where each is specified. */
const PLACES = {
  "dev.ucp.shopping.catalog.search": {
    spec: explainedAt("catalog/search", "catalog/search"),
    schema: "schemas/shopping/catalog_search.json",
  },
  "dev.ucp.shopping.catalog.lookup": {
    spec: explainedAt("catalog/lookup", "catalog/lookup"),
    schema: "schemas/shopping/catalog_lookup.json",
  },
  "dev.ucp.shopping.cart": {
    spec: explainedAt("cart", "cart"),
    schema: "schemas/shopping/cart.json",
  },
  "dev.ucp.shopping.checkout": {
    spec: explainedAt("checkout", "checkout"),
    schema: "schemas/shopping/checkout.json",
  },
  "dev.ucp.shopping.fulfillment": {
    spec: explainedAt("extensions/fulfillment", "fulfillment"),
    schema: "schemas/shopping/fulfillment.json",
    extends: "dev.ucp.shopping.checkout",
  },
  "dev.ucp.shopping.discount": {
    spec: explainedAt("extensions/discount", "discount"),
    schema: "schemas/shopping/discount.json",
    extends: "dev.ucp.shopping.checkout",
  },
  "dev.ucp.shopping.order": {
    spec: explainedAt("order", "order"),
    schema: "schemas/shopping/order.json",
  },
} as const satisfies Readonly<Record<string, CapabilityPlace>>;

/** A capability by UCP's name for it. */
export type UcpCapability = keyof typeof PLACES;

/** All that are served here. */
export const UCP_CAPABILITIES = Object.keys(PLACES) as readonly UcpCapability[];

const READING = ["dev.ucp.shopping.catalog.search", "dev.ucp.shopping.catalog.lookup"];
const ORDER = "dev.ucp.shopping.order";
const DISCOUNT = "dev.ucp.shopping.discount";

/**
 * The capabilities that a shop lists now. What was ordered can be asked about when nothing is sold any more.
 *
 * @example
 * offeredCapabilities({ buying: [], hasOrders: true }); //=> ["dev.ucp.shopping.order"]
 */
export function offeredCapabilities({
  buying,
  hasOrders,
  takesCodes = false,
}: Offer): readonly UcpCapability[] {
  const sells = buying.length > 0;
  const checksOut = buying.includes(COMPLETE_CHECKOUT);
  return UCP_CAPABILITIES.filter((name) => {
    if (name === ORDER) return hasOrders || sells;
    if (name === DISCOUNT) return checksOut && takesCodes;
    return READING.includes(name) ? sells : checksOut;
  });
}

/** What a capability adds to; undefined where it stands by itself. */
export function parentOf(name: UcpCapability): string | undefined {
  const place: CapabilityPlace = PLACES[name];
  return place.extends;
}

/** How a profile lists a capability. */
export function capabilityEntry(name: UcpCapability, version: UcpVersion) {
  const { spec, schema } = PLACES[name];
  const parent = parentOf(name);
  return {
    version,
    spec: `${published(version)}/${spec[version]}`,
    schema: `${published(version)}/${schema}`,
    ...(parent === undefined ? {} : { extends: parent }),
  };
}

/** How a profile lists the service, at an address that speaks REST or MCP. */
export function serviceEntry(transport: "rest" | "mcp", endpoint: string, version: UcpVersion) {
  const schema = transport === "rest" ? "rest.openapi.json" : "mcp.openrpc.json";
  return {
    version,
    transport,
    endpoint,
    spec: `${published(version)}/specification/overview/`,
    schema: `${published(version)}/services/shopping/${schema}`,
  };
}
