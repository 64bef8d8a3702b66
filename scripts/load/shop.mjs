/** A site to load: one of its own with an agent and products, or one that is there. */
import {
  generateAgentKey,
  mandateFor,
  mandateText,
  openAgentKey,
  sign,
} from "../../packages/agent/dist/index.js";

const PRODUCTS = 1000;
const JSON_TYPE = { "content-type": "application/json" };
const POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [{ id: "all", effect: "allow", when: { skill: { in: ["get_pricing", "place_order"] } } }],
};

async function ask({ url, token }, method, path, body) {
  const response = await fetch(`${url}/v1/admin${path}`, {
    method,
    headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json();
}

/** Makes a verified shop that sells, and an agent it knows. */
export async function openShop(service) {
  const created = await ask(service, "POST", "/sites", {
    domain: "shop.example.com",
    name: "Shop",
  });
  const at = `/sites/${created.site_key_hash}`;
  await ask(service, "POST", `${at}/verify`, { method: "operator", reason: "load test" });
  const skills = [
    { id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" },
    { id: "place_order", enabled: true },
  ];
  await ask(service, "PUT", `${at}/skills`, { skills });
  await ask(service, "PUT", `${at}/policy`, POLICY);
  await ask(service, "PUT", `${at}/processor`, { kind: "sandbox", rail_on: true, settles: true });
  const products = Array.from({ length: PRODUCTS }, (_, n) => ({
    id: `p-${n}`,
    title: `Rose number ${n}`,
    price: "10.00",
    currency: "EUR",
    quantity: 10_000_000,
  }));
  await ask(service, "PUT", `${at}/products`, { products });
  const key = await openAgentKey(await generateAgentKey());
  const { agent_id } = await ask(service, "POST", `${at}/agents`, { name: "Load", jwk: key.jwk });
  return requestsOf(service.url, created, { agentId: agent_id, key });
}

/** A site that is there: only what anybody may ask of it. */
export async function findShop(service, domain) {
  for (let cursor = ""; ; ) {
    const { items, next_cursor } = await ask(service, "GET", `/sites?limit=100${cursor}`);
    const site = items.find((one) => one.domain === domain);
    if (site !== undefined) return requestsOf(service.url, site, undefined);
    if (!next_cursor) throw new Error(`${service.url} has no site ${domain}.`);
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
  }
}

/** The requests of each kind. `next` makes one; only mandates differ from each other. */
function requestsOf(url, { site_key: siteKey, site_key_hash: hash }, agent) {
  const mandateUrl = `${url}/v1/m/${siteKey}/mandate`;
  const mcp = (method, params) => {
    const headers = { ...JSON_TYPE, accept: "application/json, text/event-stream" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return async () => ({ method: "POST", url: `${url}/v1/mcp/${siteKey}`, headers, body });
  };
  const mandates = (request) => async () => {
    const mandate = mandateFor({ mandateUrl, siteKey }, agent.agentId, request);
    const body = mandateText(await sign(mandate, agent.key));
    return { method: "POST", url: mandateUrl, headers: JSON_TYPE, body };
  };
  const anonymous = {
    card: {
      title: "agent card",
      next: async () => ({ method: "GET", url: `${url}/v1/agent-card/${hash}.json` }),
    },
    mcp: { title: "MCP list of tools", next: mcp("tools/list", {}) },
  };
  if (agent === undefined) return anonymous;
  const order = {
    skill: "place_order",
    arguments: { items: [{ id: "p-1", quantity: 1 }] },
    cart: { total: "10.00", currency: "EUR" },
    payment: { handler: "sandbox", token: "pm_card_visa" },
  };
  return {
    ...anonymous,
    mandate: { title: "approved mandate", next: mandates({ skill: "get_pricing" }) },
    order: { title: "approved and authorized order", next: mandates(order) },
  };
}
