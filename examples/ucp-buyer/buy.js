/**
 * Buys one product of a shop by UCP: discover, search, cart, checkout, delivery, complete. Over REST,
 * or with --mcp over MCP. See README.md.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { signMandate } from "./agent.js";
import { openPlatform } from "./platform.js";
import {
  checkTerms,
  checkTotals,
  Ended,
  findShop,
  must,
  NotAsPromised,
  Refused,
  readSigned,
} from "./shop.js";
import { inMajor, orderLines, webhookHandler } from "./webhooks.js";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: "string" },
    serve: { type: "string" },
    key: { type: "string", default: "platform-key.json" },
    quantity: { type: "string", default: "1" },
    country: { type: "string", default: "DE" },
    token: { type: "string", default: "pm_card_visa" },
    mcp: { type: "boolean", default: false },
    agent: { type: "string" },
    "agent-key": { type: "string" },
    limit: { type: "string" },
    checkout: { type: "string" },
    order: { type: "string" },
    hear: { type: "boolean", default: false },
    webhook: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const USAGE = `usage: buy.js <address of an agent card> <what to look for> [options]
       buy.js <address of an agent card> --checkout <id>      show a checkout again
       buy.js <address of an agent card> --order <id>         show an order

  --profile <url>     address of your platform's UCP profile
  --serve <port>      serve the profile on this machine, for a service in development mode
  --key <file>        key of the platform, created at the first run (platform-key.json)
  --quantity <n>      quantity (1)
  --country <code>    country to deliver to (DE)
  --token <token>     token to pay with (pm_card_visa)
  --limit <amount>    maximum to spend, such as 100.00
  --hear              with --serve: keep running, and print order webhooks
  --webhook <url>     webhook address to put into the printed profile
  --mcp               buy over MCP; needs --agent <id> and --agent-key <file>`;

/** REST: each operation has an address, and every answer is signed. */
function overRest(shop, platform) {
  const call = async (method, path, body, options) =>
    readSigned(shop, await platform.call(method, shop.rest + path, body, options));
  return {
    search: (catalog) => call("POST", "/catalog/search", catalog),
    createCart: (cart) => call("POST", "/carts", cart),
    createCheckout: (checkout) => call("POST", "/checkout-sessions", checkout),
    updateCheckout: (id, checkout) => call("PUT", `/checkout-sessions/${id}`, checkout),
    getCheckout: (id) => call("GET", `/checkout-sessions/${id}`),
    complete: (id, payment) => call("POST", `/checkout-sessions/${id}/complete`, payment),
    getOrder: (id) => call("GET", `/orders/${id}`),
    stop: async () => undefined,
  };
}

/** MCP: the same operations as tools, by their names; completing takes a mandate. */
async function overMcp(shop, platform) {
  must(shop.mcp, "the profile has no MCP address");
  const client = new Client({ name: "ucp-buyer", version: "0.2.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(shop.mcp)));
  const meta = () => ({ "ucp-agent": { profile: platform.url }, "idempotency-key": randomUUID() });
  const use = async (name, args) =>
    (await client.callTool({ name, arguments: { meta: meta(), ...args } })).structuredContent;
  return {
    search: (catalog) => use("search_catalog", { catalog }),
    createCart: (cart) => use("create_cart", { cart }),
    createCheckout: (checkout) => use("create_checkout", { checkout }),
    updateCheckout: (id, checkout) => use("update_checkout", { id, checkout }),
    getCheckout: (id) => use("get_checkout", { id }),
    async complete(id, payment, shown) {
      const args = { meta: meta(), id, checkout: payment };
      const jwk = JSON.parse(readFileSync(flags["agent-key"], "utf8"));
      const sum = { total: totalOf(shown), currency: shown.currency };
      const mandate = signMandate(shop, { jwk, agentId: flags.agent, args, ...sum });
      return use("complete_checkout", { ...args, mandate });
    },
    stop: () => client.close(),
  };
}

const totalOf = ({ totals, currency }) => inMajor(checkTotals({ totals }), currency);

const messagesOf = (body) =>
  (body.messages ?? []).map(({ code, content }) => `${code}: ${content}`);

async function buy(shop, client, query) {
  const { products } = await client.search({ query, pagination: { limit: 1 } });
  if (products?.length !== 1) throw new Ended(`No product of the shop matches “${query}”.`);
  const [product] = products;
  console.log(`found ${product.title} (${product.id})`);
  const line_items = [{ item: { id: product.id }, quantity: Number(flags.quantity) }];
  const buyer = { first_name: "Ada", last_name: "Example", email: "ada@example.com" };
  const cart = await client.createCart({ line_items, buyer });
  const created = await client.createCheckout({ cart_id: cart.id, line_items: [] });
  let checkout = created;
  // A shop that sends things says so, once it knows where to.
  const address = {
    street_address: "Example street 1",
    address_locality: "Example",
    postal_code: "10115",
    address_country: flags.country,
  };
  if (created.fulfillment !== undefined) {
    const to = (groups) => ({
      line_items,
      buyer,
      fulfillment: { methods: [{ type: "shipping", destinations: [address], ...groups }] },
    });
    const offered = await client.updateCheckout(created.id, to({}));
    const [option] = offered.fulfillment.methods[0].groups[0].options;
    if (option === undefined) return offered;
    console.log(`delivery ${option.title}`);
    const groups = [{ id: "parcel", selected_option_id: option.id }];
    checkout = await client.updateCheckout(created.id, to({ groups }));
  }
  if (checkout.status !== "ready_for_complete") return checkout;
  console.log(`total ${totalOf(checkout)} ${checkout.currency}`);
  if (flags.limit !== undefined && Number(totalOf(checkout)) > Number(flags.limit)) {
    throw new Ended(`That is more than ${flags.limit}. Nothing was bought.`);
  }
  console.log(`terms, version ${await checkTerms(shop, checkout)}: signed and unchanged`);
  const [[handler]] = Object.values(checkout.ucp.payment_handlers);
  const credential = { type: "token", token: flags.token };
  const instruments = [{ id: "i1", handler_id: handler.id, type: "card", credential }];
  return client.complete(checkout.id, { payment: { instruments } }, checkout);
}

const ENDS = { completed: 0, requires_escalation: 4, complete_in_progress: 4 };

/** What is wrong with the arguments, if anything. */
function usageProblem([card, query]) {
  if (card === undefined) return "Specify the address of an agent card.";
  const named = flags.checkout ?? flags.order;
  if (query === undefined && named === undefined) return "Specify what to search for.";
  if (flags.order !== undefined && flags.mcp)
    return "--order works only over REST, so leave out --mcp.";
  if (flags.hear && flags.serve === undefined) return "--hear needs --serve <port>.";
  const known = flags.agent !== undefined && flags["agent-key"] !== undefined;
  return flags.mcp && !known
    ? "--mcp needs --agent and --agent-key of an agent that the shop approved."
    : undefined;
}

/** Prints how the purchase ended. Returns the exit code. */
function printEnd(end) {
  for (const line of messagesOf(end)) console.log(line);
  if (end.order !== undefined) console.log(`order ${end.order.id}: ${end.order.permalink_url}`);
  else if (end.continue_url !== undefined) console.log(`see ${end.continue_url}`);
  if (end.reason !== undefined) console.log(`${end.reason}: ${end.message}`);
  if (ENDS[end.status] === 4) console.log(`to show it again: --checkout ${end.id}`);
  console.log(end.status ?? end.outcome);
  return ENDS[end.status] ?? 2;
}

async function main() {
  if (flags.help) {
    console.log(USAGE);
    return 0;
  }
  const wrong = usageProblem(positionals);
  if (wrong !== undefined) {
    console.error(`${wrong}\n${USAGE}`);
    return 64;
  }
  const [card, query] = positionals;
  const servePort = flags.serve === undefined ? undefined : Number(flags.serve);
  let shop;
  const profileOf = (url) =>
    url === shop?.profileUrl || url === shop?.ownProfileUrl ? shop?.profileUrl : undefined;
  const onOrder = (order) => console.log(`webhook: ${orderLines(order).join("\n")}`);
  const platform = await openPlatform({
    keyFile: flags.key,
    profileUrl: flags.profile,
    servePort,
    webhookUrl: flags.webhook,
    onWebhook: flags.hear ? webhookHandler({ profileOf, onOrder }) : undefined,
  });
  try {
    if (platform.url === undefined) {
      console.log("Publish this profile, and give its address with --profile:");
      console.log(JSON.stringify(platform.profile, null, 2));
      return 64;
    }
    shop = await findShop(card);
    if (shop === undefined)
      throw new Ended("The card names no UCP profile, so this site sells nothing.");
    const client = flags.mcp ? await overMcp(shop, platform) : overRest(shop, platform);
    if (flags.order !== undefined) {
      const order = await client.getOrder(flags.order);
      console.log(
        (order.ucp.status === "error" ? messagesOf(order) : orderLines(order)).join("\n"),
      );
      return order.ucp.status === "error" ? 2 : 0;
    }
    const work = flags.checkout ? client.getCheckout(flags.checkout) : buy(shop, client, query);
    const code = printEnd(await work.finally(() => client.stop()));
    if (!flags.hear) return code;
    console.log("Waiting for order webhooks. Ctrl-C stops.");
    await new Promise((resolve) => process.once("SIGINT", resolve));
    return code;
  } finally {
    platform.stop();
  }
}

process.exitCode = await main().catch((error) => {
  if (error instanceof Ended) {
    console.log(error.message);
    return 2;
  }
  if (error instanceof Refused) {
    console.error(`The shop refused the call: ${error.message}`);
    return 1;
  }
  if (!(error instanceof NotAsPromised)) throw error;
  console.error(`The shop does not follow UCP: ${error.message}.`);
  return 1;
});
