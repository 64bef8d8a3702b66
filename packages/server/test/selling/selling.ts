import { type JsonObject, signMandate } from "@gatehouse/protocol";
import type { Clock } from "../../src/infra/clock.ts";
import type { Dialect } from "../../src/infra/db/database.ts";
import { freshEnvironment, OPERATOR_TOKEN, startServer, type TestServer } from "../harness.ts";
import { send } from "../http-client.ts";
import { type Buyer, type Shop, submitting } from "../mandates/submitting.ts";

/** Orders go through up to 500; above that a person is asked, and above 1,000 nobody. */
export const ORDER_POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [
    {
      id: "skills",
      effect: "allow",
      when: { skill: { in: ["get_pricing", "place_order", "complete_checkout"] } },
    },
    rule("ask-above", "escalate", "500.00"),
    rule("never-above", "deny", "1000.00"),
  ],
};

function rule(id: string, effect: string, limit: string) {
  const over = { "cart.total": { gt: { EUR: limit, JPY: limit.replace(".00", "00") } } };
  return { id, effect, when: { all: [{ skill: { eq: "place_order" } }, over] } };
}

export const PRODUCTS = [
  { id: "rose", title: "A rose", price: "100.00", currency: "EUR", quantity: 50 },
  { id: "vase", title: "A vase", price: "12.50", currency: "EUR" },
  { id: "palm", title: "A palm", price: "600.00", currency: "EUR", quantity: 5 },
  { id: "last", title: "The last one", price: "20.00", currency: "EUR", quantity: 1 },
  { id: "gone", title: "No more", price: "20.00", currency: "EUR", availability: "out of stock" },
  { id: "bonsai", title: "A bonsai", price: "5000", currency: "JPY" },
];

/** What tests of one shop and one buyer of it work with. */
export interface Market {
  readonly server: TestServer;
  readonly at: ReturnType<typeof selling>;
  readonly shop: Shop;
  readonly buyer: Buyer;
}

/** A server on a clock of the test's, whose jobs run when the test says so. */
export async function openMarket(
  dialect: Dialect,
  clock: Clock,
): Promise<Pick<Market, "server" | "at">> {
  const server = await startServer(await freshEnvironment(dialect), { clock });
  await server.context.jobs.stop();
  return { server, at: selling(server) };
}

export interface Cart {
  readonly items?: unknown;
  readonly total?: string;
  readonly currency?: string;
  readonly handler?: string;
  readonly token?: string;
  readonly protocol?: string;
}

/** The members of a mandate that buys. */
export function cart({
  items = [{ id: "rose", quantity: 1 }],
  total = "100.00",
  currency = "EUR",
  handler = "sandbox",
  token = "pm_card_visa",
  protocol = "a2a",
}: Cart = {}): JsonObject {
  return {
    skill: "place_order",
    arguments: { items: items as never },
    payment: { handler, token },
    protocol_context: { protocol, cart_total: total, cart_currency: currency },
  };
}

/** Shops of each server so far. */
const shops = new WeakMap<TestServer, number>();

export function selling(server: TestServer) {
  const agent = submitting(server);

  /** A shop that sells: products, processor and policy, and the skill switched on. */
  async function shop(policy: JsonObject = ORDER_POLICY as never): Promise<Shop> {
    // A domain of its own: the newest proof of one takes it from every other site.
    const number = (shops.get(server) ?? 0) + 1;
    shops.set(server, number);
    const made = await agent.shop(policy, `shop-${number}.example.com`);
    const skills = [
      { id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" },
      { id: "place_order", enabled: true },
    ];
    await made.admin("PUT", "/skills", { skills });
    await made.admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
    await made.admin("PUT", "/products", { products: PRODUCTS });
    return made;
  }

  /** A shop that sells, and an agent that buys there. */
  async function shopAndBuyer(): Promise<Pick<Market, "shop" | "buyer">> {
    const made = await shop();
    return { shop: made, buyer: await agent.buyer(made) };
  }

  const signed = (to: Shop, by: Buyer, fields: Cart = {}, more: JsonObject = {}) =>
    signMandate(agent.mandate(to, by, { ...cart(fields), ...more }), by.key.signer);

  /** Signs an order and sends it to the mandate endpoint. */
  const order = async (to: Shop, by: Buyer, fields: Cart = {}) =>
    agent.send(to, await signed(to, by, fields));

  /** Calls a tool of the shop's MCP server; what JSON-RPC answers. */
  async function call(
    to: Shop,
    args: unknown,
    meta?: unknown,
    name = "place_order",
    headers: Readonly<Record<string, string>> = {},
  ) {
    const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
    const answer = await send(`${server.url}/v1/mcp/${to.site_key}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    return answer.body;
  }

  /** Imports products, one JSON object a line; those it does not name stay. */
  async function importLines({ site_key_hash }: Shop, products: readonly object[]) {
    const path = `/v1/admin/sites/${site_key_hash}/products/import`;
    return send(server.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        "content-type": "application/x-ndjson",
      },
      body: products.map((product) => JSON.stringify(product)).join("\n"),
    });
  }

  const orders = async ({ admin }: Shop) => (await admin("GET", "/orders")).body.items;
  const product = async ({ admin }: Shop, id: string) => {
    const { items } = (await admin("GET", "/products")).body;
    return items.find((one: { id: string }) => one.id === id);
  };
  /** The processor's own books, as far as this shop goes. */
  const authorizations = ({ site_key_hash }: Shop, status = "authorized") =>
    server.context.db.all<{ idempotency_key: string; amount_minor: number }>(
      "SELECT * FROM sandbox_authorizations WHERE site_key_hash = ? AND status = ?",
      site_key_hash,
      status,
    );

  const buying = { shop, shopAndBuyer, signed, order, call };
  return { ...agent, ...buying, importLines, orders, product, authorizations };
}
