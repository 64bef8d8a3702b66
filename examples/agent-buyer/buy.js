/** Buys from a site behind Gatehouse, and checks every answer. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual, parseArgs } from "node:util";
import * as agent from "@gatehouse/agent";
import { parseAmount } from "@gatehouse/protocol";

const TRIES_MAX = 5;
const RETRY_MS = 1000;
const POLL_S = 20;

/** How it ends. Something the site should not have done, or a price that is too high, is 1. */
const EXIT = { bought: 0, failed: 1, rejected: 2, unavailable: 3, waiting: 4, usage: 64 };

const USAGE = `usage: buy.js <address> <product>=<quantity> … [options]
  <address>         address of the site or of its card
  --token <token>   token of the site's payment provider, to pay with (pm_card_visa)
  --limit <amount>  maximum to spend, in the shop's currency (100.00)
  --key <file>      key of the agent, created at the first run (agent-key.json)
  --wait <seconds>  how long to wait for an approval (60)
  --help            print this help`;

/** The command line; undefined where it cannot be understood. */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        key: { type: "string", default: "agent-key.json" },
        token: { type: "string", default: "pm_card_visa" },
        limit: { type: "string", default: "100.00" },
        wait: { type: "string", default: "60" },
        help: { type: "boolean", default: false },
      },
    });
    const [address, ...wanted] = positionals;
    const items = wanted.map((text) => {
      const [id = "", quantity = "1"] = text.split("=");
      return { id, quantity: Number(quantity) };
    });
    return { options: values, address, items };
  } catch (error) {
    console.error(error.message);
    return undefined;
  }
}

/** A person has not decided yet: nobody's fault, and nothing was bought. */
class StillWaiting extends Error {}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function check(holds, what) {
  if (!holds) throw new Error(`the site did not answer as its guide says; expected ${what}`);
}

/** The agent's key, made the first time. */
async function openKey(file) {
  if (!existsSync(file)) {
    writeFileSync(file, JSON.stringify(await agent.generateAgentKey()), { mode: 0o600 });
    console.log(`created a key: ${file}`);
  }
  return agent.openAgentKey(JSON.parse(readFileSync(file, "utf8")));
}

/** What to try if no card is at an address. */
const ADDRESS_HINT =
  "Check the address. If the site does not serve its card itself, or you try this on one machine, " +
  "use the card's address, which `gatehouse site show` prints.";

/** The site at an address, if its card holds. */
async function findSite(address) {
  try {
    return await agent.discover(address);
  } catch (error) {
    if (!/does not answer|answers with|without an agent card/.test(error.message)) throw error;
    throw new Error(`${error.message}\n${ADDRESS_HINT}`, { cause: error });
  }
}

/** Makes the key known to the site, and waits for its owner. One key is one agent: safe to repeat. */
async function registerAndWait(site, key, until) {
  const { agentId } = await agent.register(site, key, { name: "Example buyer" });
  console.log(`registered with ${site.domain} as ${agentId}`);
  let isAnnounced = false;
  for (;;) {
    const status = await agent.agentStatus(site, agentId);
    if (status === "active") return agentId;
    if (status !== "pending")
      throw new Error(`the owner does not accept this agent: it is ${status}`);
    if (Date.now() >= until) {
      throw new StillWaiting(`the owner has not approved ${agentId} yet; run this again later`);
    }
    if (!isAnnounced) console.log("waiting for the owner to approve the agent");
    isAnnounced = true;
    await pause(RETRY_MS / 4);
  }
}

/** What it costs, if that is not more than may be spent. */
async function quote(site, items, most) {
  const quoted = await agent.quoteOrder(site, items);
  const { total, currency } = quoted.cart;
  console.log(`${site.domain} charges ${total} ${currency}`);
  const [price, limit] = [parseAmount(total, currency), parseAmount(most, currency)];
  check(price.ok, "a valid price");
  if (limit.ok && price.value.minor <= limit.value.minor) return quoted;
  throw new Error(`that is more than ${most} ${currency}; nothing was bought`);
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
async function waitForPerson(site, mandate, { status_url }, until) {
  console.log("the request needs review; waiting");
  for (;;) {
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    const { status } = await agent.escalationStatus(status_url, Math.min(POLL_S, left));
    if (status !== "pending" && status !== "paying") return submit(site, mandate);
    if (left > 0) continue;
    const { mandate_id } = mandate.signed;
    throw new StillWaiting(
      `nobody has decided mandate ${mandate_id} yet; its status is at ${status_url}`,
    );
  }
}

async function main() {
  const read = readArguments();
  if (read === undefined || read.options.help || read.items.length === 0) {
    (read?.options.help ? console.log : console.error)(USAGE);
    return read?.options.help ? EXIT.bought : EXIT.usage;
  }
  const { options, address, items } = read;
  const waitMs = Number(options.wait) * 1000;
  const key = await openKey(options.key);
  const site = await findSite(address);
  console.log(`the card of ${site.domain} is valid`);
  const agentId = await registerAndWait(site, key, Date.now() + waitMs);
  const quoted = await quote(site, items, options.limit);
  const request = agent.orderRequest(items, quoted, options.token);
  const mandate = await agent.sign(agent.mandateFor(site, agentId, request), key);
  let { status, body } = await submit(site, mandate);
  if (body.outcome === "escalated") {
    check(status === 202 && typeof body.status_url === "string", "202 with a status_url");
    ({ status, body } = await waitForPerson(site, mandate, body, Date.now() + waitMs));
  }
  console.log(`${body.outcome}${body.reason === undefined ? "" : `: ${body.reason}`}`);
  if (body.outcome === "unavailable") return EXIT.unavailable;
  if (body.outcome !== "approved") {
    check(typeof body.message === "string", "a message in the refusal");
    return EXIT.rejected;
  }
  check(status === 200, "200 for an approval");
  check(body.mandate_id === mandate.signed.mandate_id, "the mandate_id in the answer");
  check(isDeepStrictEqual(await agent.placeOrder(site, mandate), body), "the same answer over MCP");
  console.log(`bought; the record is ${body.record_id}`);
  return EXIT.bought;
}

process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return error instanceof StillWaiting ? EXIT.waiting : EXIT.failed;
});
