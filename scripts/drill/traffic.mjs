/** A shop, and those who come to it: visitors, and an agent that asks, is refused, waits and buys. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { answered, ask, command, expect, json } from "./hand.mjs";

const PRODUCTS = `id,title,price,currency,quantity
bouquet,Bouquet,29.00,EUR,100
palm,A palm as tall as you,140.00,EUR,10
`;
const VISITS = 5;

/** Takes a site on and opens it: skills, rules, products, the sandbox to pay through, an agent. */
export async function openShop(env, folder, domain) {
  const site = await json(env, "site", "create", domain, "--name", "Fern & Petal");
  const word = ["--method", "operator", "--reason", "the operator's drill"];
  await command(env, "site", "verify", domain, ...word);
  const page = ["--url", `https://${domain}/prices`];
  await command(env, "skill", "set", domain, "get_pricing", ...page);
  await command(env, "skill", "set", domain, "contact_support", ...page);
  await command(env, "skill", "set", domain, "place_order");
  const limit = ["--limit", "50.00", "--currency", "EUR"];
  const rules = JSON.parse(await command(env, "policy", "preset", "automatic_under", ...limit));
  const never = { id: "never", effect: "deny", when: { skill: { eq: "contact_support" } } };
  const keep = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const policy = keep("policy.json", JSON.stringify({ ...rules, rules: [never, ...rules.rules] }));
  await command(env, "policy", "publish", domain, policy);
  await command(env, "product", "import", domain, keep("products.csv", PRODUCTS));
  const gates = await command(env, "site", "connect", domain, "--processor", "sandbox");
  expect(gates.includes("Agents can buy."), "every gate to be open");
  const key = join(folder, "agent-key.json");
  await command(env, "agent", "keygen", "--out", key);
  const card = `${env.GATEHOUSE_BASE_URL}/v1/agent-card/${site.site_key}.json`;
  const { agent_id: agent } = await json(
    env,
    "agent",
    "register",
    card,
    "--key",
    key,
    "--name",
    "Buyer",
  );
  await command(env, "agent", "approve", domain, agent);
  return { ...site, card, key, agent };
}

async function visit(env, { site_key, domain }) {
  const body = JSON.stringify({
    schema_version: "1",
    site_key,
    observed_at: new Date().toISOString(),
    identification: { user_agent: "GPTBot/1.2" },
    page_context: { url: `https://${domain}/prices` },
  });
  const headers = { "content-type": "application/json" };
  const { status } = await ask(env, "/v1/discovery/ingest", { method: "POST", headers, body });
  expect(status === 204, `a visit to be taken, not ${status}`);
}

/** What the agent is answered; a refusal is an answer like any other here. */
async function outcomeOf(env, { card, key, agent }, ...options) {
  return answered(env, "mandate", "send", card, "--key", key, "--agent", agent, ...options);
}

const order = (product, total) => [
  "--skill",
  "place_order",
  "--arguments",
  `{"items":[{"id":"${product}","quantity":1}]}`,
  "--total",
  total,
  "--currency",
  "EUR",
  "--pay",
  "sandbox:pm_card_visa",
];

/** Visits, one mandate of each outcome, and an order; the sums are compared with what is listed. */
export async function sendTraffic(env, shop) {
  const orders = async () => (await json(env, "order", "list", shop.domain)).items.length;
  const before = await orders();
  for (let i = 0; i < VISITS; i++) await visit(env, shop);
  const expectOutcome = async (wanted, ...options) => {
    const { outcome, reason } = await outcomeOf(env, shop, ...options);
    expect(outcome === wanted, `a mandate to be ${wanted}, not ${outcome} (${reason})`);
  };
  await expectOutcome("approved", "--skill", "get_pricing");
  await expectOutcome("rejected", "--skill", "contact_support");
  await expectOutcome("escalated", ...order("palm", "140.00"));
  await expectOutcome("approved", ...order("bouquet", "29.00"));
  expect((await orders()) === before + 1, "the order to be listed");
  return `${VISITS} visits, mandates approved, rejected and escalated, and an order`;
}

export async function countOf(env, { domain }, what) {
  return (await json(env, what, "list", domain)).items.length;
}
