import { type AgentKey, generateAgentKey, mandateFor, openAgentKey, sign } from "@gatehouse/agent";
import type { JsonObject } from "@gatehouse/protocol";
import { inject } from "vitest";
import { type Answer, ask, askAsOperator, type Site, type Skill, verifiedSite } from "./asking.ts";

const SKILLS: Skill[] = ["get_pricing", "contact_support", "sign_up"].map((id) => ({
  id,
  enabled: true,
  url: `https://shop.example.com/${id}`,
}));

const AP2 = { protocol: { eq: "ap2" } };

/** Prices are free, support is a person's to allow; carts of 100 at most, and not in dollars. */
const RULES = [
  { id: "open", effect: "allow", when: { skill: { in: ["get_pricing", "contact_support"] } } },
  { id: "ask-me", effect: "escalate", when: { skill: { eq: "contact_support" } } },
  {
    id: "too-much",
    effect: "deny",
    when: { all: [AP2, { "cart.total": { gt: { EUR: "100.00", USD: "100.00" } } }] },
  },
  { id: "no-dollars", effect: "deny", when: { all: [AP2, { "cart.currency": { eq: "USD" } }] } },
];

export interface Shop extends Site {
  readonly mandateUrl: string;
  readonly siteKey: string;
}

export const admin = (site: Site, method: string, path: string, body?: unknown) =>
  askAsOperator(method, `/v1/admin/sites/${site.site_key_hash}${path}`, body);

/** A site that takes mandates. */
export async function shopWithRules(): Promise<Shop> {
  const site = await verifiedSite();
  await admin(site, "PUT", "/skills", { skills: SKILLS });
  const policy = { policy: "rules/1", timezone: "UTC", default: "deny", rules: RULES };
  await admin(site, "PUT", "/policy", policy);
  const siteKey = site.site_key;
  return { ...site, siteKey, mandateUrl: `${inject("target").url}/v1/m/${siteKey}/mandate` };
}

/** A site that sells roses for 100, through the embedded processor. */
export async function sellingShop(): Promise<Shop> {
  const shop = await shopWithRules();
  const skills = [...SKILLS, { id: "place_order", enabled: true }];
  await admin(shop, "PUT", "/skills", { skills });
  const rules = [
    { id: "open", effect: "allow", when: { skill: { in: ["get_pricing", "place_order"] } } },
  ];
  await admin(shop, "PUT", "/policy", {
    policy: "rules/1",
    timezone: "UTC",
    default: "deny",
    rules,
  });
  await admin(shop, "PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
  const rose = { id: "rose", title: "A rose", price: "100.00", currency: "EUR" };
  await admin(shop, "PUT", "/products", { products: [rose] });
  return shop;
}

/** What a mandate holds that buys one of them. */
export const A_ROSE = {
  skill: "place_order",
  arguments: { items: [{ id: "rose", quantity: 1 }] },
  payment: { handler: "sandbox", token: "pm_card_visa" },
  protocol_context: { protocol: "mcp", cart_total: "100.00", cart_currency: "EUR" },
};

/** Calls a tool of the shop's MCP server; what it is told. */
export async function callTool(shop: Shop, name: string, args: unknown): Promise<JsonObject> {
  const url = shop.mandateUrl.replace(/\/v1\/m\/(.*)\/mandate$/, "/v1/mcp/$1");
  const { body } = await ask("POST", url, {
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  return body.result;
}

export interface Agent {
  readonly agentId: string;
  readonly key: AgentKey;
}

export async function knownAgent(shop: Shop): Promise<Agent> {
  const key = await openAgentKey(await generateAgentKey());
  const added = await admin(shop, "POST", "/agents", { name: "Agent", jwk: key.jwk });
  return { agentId: added.body.agent_id, key };
}

/** A signed mandate, with what a test wants otherwise. */
export async function mandateBy(shop: Shop, { agentId, key }: Agent, fields: JsonObject = {}) {
  const mandate = mandateFor(shop, agentId, { skill: "get_pricing" });
  return sign({ ...mandate, ...fields }, key);
}

export const post = (
  shop: Shop,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  ask("POST", shop.mandateUrl, {
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

export async function submit(shop: Shop, by: Agent, fields: JsonObject = {}): Promise<Answer> {
  return post(shop, await mandateBy(shop, by, fields));
}

export const withProtocol = (protocol: string, cart: JsonObject = {}) => ({
  protocol_context: { protocol, ...cart },
});

/** What the log says was decided, the newest first. */
export async function decisionsIn(shop: Shop) {
  const path = "/audit/records?limit=200&type=mandate.decision";
  const { items } = (await admin(shop, "GET", path)).body;
  return items.map(({ record }: { record: JsonObject }) => record);
}
