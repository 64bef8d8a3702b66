import { protocolById } from "../protocols.js";

/** The version of UCP that is spoken here, and no other. */
export const UCP_VERSION = protocolById("ucp").version as string;

/** Where UCP publishes what it says: everything of one version stands below it. */
const PUBLISHED = `https://ucp.dev/${UCP_VERSION}`;

/** The one service of UCP that a shop has. */
export const SHOPPING = "dev.ucp.shopping";

interface CapabilityPlace {
  readonly spec: string;
  readonly schema: string;
  /** What it adds to: without that it is nothing. */
  readonly extends?: string;
}

/** What a shop can do, by UCP's names: where each is specified, below {@link PUBLISHED}. */
const PLACES = {
  "dev.ucp.shopping.catalog.search": {
    spec: "specification/shopping/catalog/search",
    schema: "schemas/shopping/catalog_search.json",
  },
  "dev.ucp.shopping.catalog.lookup": {
    spec: "specification/shopping/catalog/lookup",
    schema: "schemas/shopping/catalog_lookup.json",
  },
  "dev.ucp.shopping.cart": {
    spec: "specification/shopping/cart",
    schema: "schemas/shopping/cart.json",
  },
  "dev.ucp.shopping.checkout": {
    spec: "specification/shopping/checkout",
    schema: "schemas/shopping/checkout.json",
  },
  "dev.ucp.shopping.fulfillment": {
    spec: "specification/shopping/extensions/fulfillment",
    schema: "schemas/shopping/fulfillment.json",
    extends: "dev.ucp.shopping.checkout",
  },
  "dev.ucp.shopping.order": {
    spec: "specification/shopping/order",
    schema: "schemas/shopping/order.json",
  },
} as const satisfies Readonly<Record<string, CapabilityPlace>>;

/** A capability by UCP's name for it. */
export type UcpCapability = keyof typeof PLACES;

/** All that are served here. */
export const UCP_CAPABILITIES = Object.keys(PLACES) as readonly UcpCapability[];

/** What a capability adds to; undefined where it stands by itself. */
export function parentOf(name: UcpCapability): string | undefined {
  const place: CapabilityPlace = PLACES[name];
  return place.extends;
}

/** How a profile lists a capability. */
export function capabilityEntry(name: UcpCapability) {
  const { spec, schema } = PLACES[name];
  const parent = parentOf(name);
  return {
    version: UCP_VERSION,
    spec: `${PUBLISHED}/${spec}`,
    schema: `${PUBLISHED}/${schema}`,
    ...(parent === undefined ? {} : { extends: parent }),
  };
}

function service(transport: string, endpoint: string, schema: string) {
  const spec = `${PUBLISHED}/specification/overview/`;
  const described = `${PUBLISHED}/services/shopping/${schema}`;
  return { version: UCP_VERSION, transport, endpoint, spec, schema: described };
}

/** How a profile lists the service, at an address that speaks REST. */
export const restService = (endpoint: string) => service("rest", endpoint, "rest.openapi.json");

/** The same, at an address that speaks MCP. */
export const mcpService = (endpoint: string) => service("mcp", endpoint, "mcp.openrpc.json");
