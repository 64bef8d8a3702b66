/** Buys from a site behind Gatehouse, and checks everything it is told. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual, parseArgs } from "node:util";
import * as agent from "@gatehouse/agent";
import { parseAmount } from "@gatehouse/protocol";

const TRIES_MAX = 5;
const RETRY_MS = 1000;
const APPROVAL_MS_MAX = 300_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    key: { type: "string", default: "agent-key.json" },
    token: { type: "string", default: "pm_card_visa" },
    limit: { type: "string", default: "100.00" },
    wait: { type: "string", default: "60" },
  },
});
const [address, ...wanted] = positionals;
const items = wanted.map((text) => {
  const [id = "", quantity = "1"] = text.split("=");
  return { id, quantity: Number(quantity) };
});

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function check(holds, what) {
  if (!holds) throw new Error(`the site did not do what its guide says: ${what}`);
}

/** The agent's key, made the first time. */
async function openKey(file) {
  if (!existsSync(file)) {
    writeFileSync(file, JSON.stringify(await agent.generateAgentKey()), { mode: 0o600 });
    console.log(`made a key: ${file}`);
  }
  return agent.openAgentKey(JSON.parse(readFileSync(file, "utf8")));
}

/** Makes the key known to the site, and waits for its owner. One key is one agent: safe to repeat. */
async function becomeKnown(site, key) {
  const { agentId } = await agent.register(site, key, { name: "Example buyer" });
  console.log(`known to ${site.domain} as ${agentId}`);
  const until = Date.now() + APPROVAL_MS_MAX;
  let told = false;
  for (;;) {
    const status = await agent.agentStatus(site, agentId);
    if (status === "active") return agentId;
    check(status === "pending" && Date.now() < until, `to be approved, and not ${status}`);
    if (!told) console.log("waiting for the owner to approve it");
    told = true;
    await pause(RETRY_MS / 4);
  }
}

/** What it costs, if that is not more than may be spent. */
async function quote(site) {
  const quoted = await agent.quoteOrder(site, items);
  const { total, currency } = quoted.cart;
  console.log(`${site.domain} asks ${total} ${currency}`);
  const [asked, limit] = [parseAmount(total, currency), parseAmount(options.limit, currency)];
  check(asked.ok, "a price that is money");
  if (limit.ok && asked.value.minor <= limit.value.minor) return quoted;
  throw new Error(`that is more than ${options.limit} ${currency}: not bought`);
}

/** Sends a mandate until there is an answer. The same bytes are the same request. */
async function submit(site, mandate) {
  for (let tries = 1; ; tries++) {
    const answer = await agent.send(site, mandate);
    if (answer.body.outcome !== "unavailable" || tries === TRIES_MAX) return answer;
    await pause(RETRY_MS);
  }
}

/** Waits for the person who decides. */
async function waitForPerson(site, mandate, { status_url }) {
  const until = Date.now() + Number(options.wait) * 1000;
  console.log("a person decides; waiting");
  for (;;) {
    const { status } = await agent.escalationStatus(status_url, 20);
    const open = status === "pending" || status === "paying";
    if (!open || Date.now() >= until) return submit(site, mandate);
  }
}

async function main() {
  if (address === undefined || items.length === 0) {
    console.error("usage: buy.js <address> <product>=<quantity> … [--token] [--limit] [--key]");
    return 64;
  }
  const key = await openKey(options.key);
  const site = await agent.discover(address);
  console.log(`the card of ${site.domain} holds`);
  const agentId = await becomeKnown(site, key);
  const quoted = await quote(site);
  const request = agent.orderRequest(items, quoted, options.token);
  const mandate = await agent.sign(agent.mandateFor(site, agentId, request), key);
  let { status, body } = await submit(site, mandate);
  if (body.outcome === "escalated") {
    check(status === 202 && typeof body.status_url === "string", "202 with a place to ask");
    ({ status, body } = await waitForPerson(site, mandate, body));
  }
  console.log(`${body.outcome}${body.reason === undefined ? "" : `: ${body.reason}`}`);
  if (body.outcome === "unavailable") return 3;
  if (body.outcome !== "approved") {
    check(typeof body.message === "string", "a refusal to say why");
    return 2;
  }
  check(status === 200, "200 for what is approved");
  check(body.mandate_id === mandate.signed.mandate_id, "the answer to name the mandate");
  check(isDeepStrictEqual(await agent.placeOrder(site, mandate), body), "the same answer by MCP");
  console.log(`bought; it stands in the site's log as ${body.record_id}`);
  return 0;
}

process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return 1;
});
