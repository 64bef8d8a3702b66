/** What an agent may do, and buy, by a signed mandate. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as agents from "@gatehouse/agent";
import { command, expect, folder, say } from "./stage.js";

/** The owner's rules: prices for everybody, support only after a person has looked, nothing else. */
const RULES = {
  policy: "rules/1",
  timezone: "Europe/Berlin",
  default: "deny",
  rules: [
    { id: "open", effect: "allow", when: { skill: { in: ["get_pricing", "contact_support"] } } },
    { id: "ask-me", effect: "escalate", when: { skill: { eq: "contact_support" } } },
  ],
};

/** What an agent may do: it registers, the owner approves it, and the owner's rules decide. */
export async function walkMandates(env, url, site) {
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify(RULES));
  say((await command(env, "policy", "publish", site.domain, file)).trim());
  const key = await agents.openAgentKey(await agents.generateAgentKey());
  const shop = await agents.discover(`${url}/v1/agent-card/${site.site_key}.json`);
  const { agentId } = await agents.register(shop, key, { name: "Flower buyer" });
  const sign = (skill) => agents.sign(agents.mandateFor(shop, agentId, { skill }), key);
  const early = await agents.send(shop, await sign("get_pricing"));
  expect(early.body.reason === "agent_pending", "an agent that waits to be refused");
  await command(env, "agent", "approve", site.domain, agentId);
  say("an agent verified the shop, registered its key, waited, and was approved by the owner");
  const mandate = await sign("get_pricing");
  const approved = await agents.send(shop, mandate);
  const again = await agents.send(shop, mandate);
  expect(approved.body.outcome === "approved", "an approved mandate");
  expect(again.headers.get("idempotent-replayed") === "true", "the same answer to the same bytes");
  say("its signed mandate was approved; the same bytes again get the same answer");
  const changed = { ...mandate, signed: { ...mandate.signed, skill: "contact_support" } };
  const forged = await agents.send(shop, changed);
  expect(forged.body.reason === "signature_invalid", "a changed mandate to be refused");
  const refused = await agents.send(shop, await sign("track_delivery"));
  expect(refused.body.reason === "policy_denied", "what no rule allows to be refused");
  say(
    `a changed mandate gets ${forged.body.reason}, and a request that no rule allows gets ${refused.body.reason}`,
  );
  const waits = await sign("contact_support");
  const escalated = await agents.send(shop, waits);
  expect(escalated.status === 202, "a mandate that waits for a person");
  await command(env, "review", "approve", site.domain, escalated.body.escalation_id);
  const later = await agents.send(shop, waits);
  expect(later.body.outcome === "approved", "the approval");
  say("another mandate needed review, and the owner approved it; everything is recorded:");
  const tail = await command(env, "audit", "tail", site.domain);
  const lines = tail.split("\n").filter((line) => /mandate\.|review\./.test(line));
  for (const line of lines) console.log(`      ${line}`);
}

const PRODUCTS = `id,title,description,price,currency,quantity
bouquet,"Bouquet ""Spring""",Twenty fresh flowers of the season,29.00,EUR,12
palm,A palm as tall as you,Grows in a pot and needs little light,140.00,EUR,2
`;

/** What an agent may buy: the owner says what is sold, up to where agents buy by themselves. */
export async function walkOrders(env, url, site) {
  const products = join(folder, "products.csv");
  writeFileSync(products, PRODUCTS);
  const imported = (await command(env, "product", "import", site.domain, products)).trim();
  await command(env, "skill", "set", site.domain, "place_order");
  const limit = ["--limit", "50.00", "--currency", "EUR"];
  const file = join(folder, "selling.json");
  writeFileSync(file, await command(env, "policy", "preset", "automatic_under", ...limit));
  await command(env, "policy", "publish", site.domain, file);
  const gates = await command(env, "site", "connect", site.domain, "--processor", "sandbox");
  expect(gates.includes("Agents can buy."), "every gate to be open");
  say(
    `the owner sells: ${imported} Agents can buy up to 50 EUR; above that, a purchase needs review`,
  );
  const shop = await agents.discover(`${url}/v1/agent-card/${site.site_key}.json`);
  const stored = await agents.generateAgentKey();
  const key = await agents.openAgentKey(stored);
  const { agentId } = await agents.register(shop, key, { name: "Gift finder" });
  await command(env, "agent", "approve", site.domain, agentId);
  const order = async (id, change = {}) => {
    const items = [{ id, quantity: 1 }];
    const quoted = await agents.quoteOrder(shop, items);
    const request = { ...agents.orderRequest(items, quoted, "pm_card_visa"), ...change };
    return agents.sign(agents.mandateFor(shop, agentId, request), key);
  };
  const cheat = await order("bouquet", { cart: { total: "1.00", currency: "EUR" } });
  const mismatch = await agents.send(shop, cheat);
  expect(mismatch.body.reason === "cart_mismatch", "1.00 for a bouquet of 29.00 to be refused");
  say(
    `a correctly signed mandate of 1.00 for a bouquet of 29.00 is refused: ${mismatch.body.reason}`,
  );
  const mandate = await order("bouquet");
  const bought = await agents.send(shop, mandate);
  const again = await agents.placeOrder(shop, mandate);
  expect(bought.body.outcome === "approved", "the bouquet to be sold");
  expect(again.record_id === bought.body.record_id, "the same decision by MCP");
  say("a mandate of 29.00 is approved and authorized; sent again over MCP, it is the same order");
  const broke = { handler: "sandbox", token: "pm_card_chargeDeclinedInsufficientFunds" };
  const declined = await agents.send(shop, await order("bouquet", { payment: broke }));
  expect(declined.body.reason === "payment_declined", "a declined card");
  const palm = await order("palm");
  const waits = await agents.send(shop, palm);
  expect(waits.body.outcome === "escalated", "a palm to need a person");
  await command(env, "review", "approve", site.domain, waits.body.escalation_id);
  expect((await agents.send(shop, palm)).body.outcome === "approved", "the palm to be sold");
  say("a card without money is declined; a palm for 140.00 needed review. The orders:");
  const orders = (await command(env, "order", "list", site.domain)).trim().split("\n");
  expect(orders.length === 3, "two orders");
  for (const line of orders) console.log(`      ${line}`);
}
