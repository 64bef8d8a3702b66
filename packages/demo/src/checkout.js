/** What a platform that speaks UCP does: it buys, and receives webhooks about the order. */
import { execFile } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { orderLines, webhookHandler } from "../../../examples/ucp-buyer/webhooks.js";
import { command, expect, folder, say } from "./stage.js";

const DELIVERY = {
  shipping: [
    {
      countries: ["DE"],
      options: [{ id: "standard", title: "By bicycle", prices: { EUR: "4.90" }, days: [1, 2] }],
    },
  ],
};

/** What a platform that speaks UCP does: it finds the shop, and buys for somebody. */
export async function walkCheckout(env, url, { site, platform }) {
  const file = join(folder, "shop.json");
  writeFileSync(file, JSON.stringify(DELIVERY));
  await command(env, "site", "shop", site.domain, "--file", file);
  const card = `${url}/v1/agent-card/${site.site_key}.json`;
  const buyer = fileURLToPath(new URL("./ucp-buyer.js", import.meta.url));
  const buy = (what) =>
    new Promise((resolve) => {
      const key = ["--key", platform.keyFile, "--profile", platform.url];
      execFile(
        process.execPath,
        [buyer, card, what, ...key],
        { cwd: folder },
        (error, stdout, stderr) => {
          resolve({ status: error === null ? 0 : error.code, stdout, stderr });
        },
      );
    });
  const bought = await buy("bouquet");
  expect(bought.status === 0, `a bouquet bought through UCP, but: ${bought.stderr}`);
  say(
    "a platform that speaks only UCP found the shop, verified its signatures and terms, and bought:",
  );
  for (const line of bought.stdout.trim().split("\n")) console.log(`      ${line}`);
  const waits = await buy("palm");
  expect(waits.status === 4 && waits.stdout.includes("review_required"), "a palm to need a person");
  const page = /see (\S+)/.exec(waits.stdout)[1];
  const shown = await (await fetch(page)).text();
  expect(shown.includes("The shop is reviewing this order"), "the buyer's page");
  const { items } = JSON.parse(await command(env, "review", "list", site.domain, "--json"));
  const [review] = items.filter(({ status }) => status === "pending");
  await command(env, "review", "approve", site.domain, review.escalation_id);
  expect((await (await fetch(page)).text()).includes("Thank you"), "the buyer to be thanked");
  say(`the palm needed review, and its buyer saw this on a page; now it is sold: ${page}`);
  const orders = (await command(env, "order", "list", site.domain)).trim().split("\n");
  expect(orders.length === 5, "four orders");
  const [, newest] = /(ord_\S+)/.exec(orders[1]);
  say("`gatehouse order show` says what was bought, by whom, and where to send it:");
  const order = (await command(env, "order", "show", site.domain, newest)).trim().split("\n");
  for (const line of order) console.log(`      ${line}`);
}

/** What follows a sale: the goods are sent, the payment is captured and partly refunded. */
export async function walkAfterSale(env, url, { site, platform, webhooks }) {
  const list = JSON.parse(await command(env, "order", "list", site.domain, "--json")).items;
  const { order_id: id } = list.find(({ agent_id }) => agent_id === platform.url);
  const order = (...words) => command(env, "order", words[0], site.domain, id, ...words.slice(1));
  await webhooks.orderAfter(id, 0);
  await order("ship", "--carrier", "DHL", "--tracking-number", "JD0146");
  await order("simulate", "capture");
  await order("simulate", "refund", "--amount", "5.00");
  const received = await webhooks.orderAfter(id, 2);
  say("the owner shipped the order, captured the payment and refunded 5.00. The platform got");
  console.log("    webhooks signed with the shop's key, in order, with the whole order each time:");
  for (const line of orderLines(received)) console.log(`      ${line}`);
  const pages = `${url}/v1/ucp/${site.site_key_hash}/orders/${id}`;
  expect((await fetch(pages)).status === 400, "strangers to learn nothing of an order");
  const read = await (await platform.call("GET", pages)).json();
  expect(
    JSON.stringify(read) === JSON.stringify(received),
    "the order to be what the webhook said",
  );
  say("the platform can read the order with a signed request; other callers cannot see it");
  const spare = list.find((one) => one.protocol !== "ucp" && one.payment === "authorized");
  const gone = await command(env, "order", "cancel", site.domain, spare.order_id);
  expect(/^payment +voided$/m.test(gone), "the authorization of a cancelled order to be voided");
  say(
    "an order that was placed with a mandate is cancelled: goods back in stock, authorization voided",
  );
  const records = await command(env, "audit", "tail", site.domain, "--type", "order.adjustment");
  expect(/refund completed/.test(records), "the refund to be recorded");
  say("each of these is in the log: `gatehouse audit tail --type order.adjustment`");
}

/** Receives the webhooks of the platform, from the shops where it bought. */
export function openWebhooks() {
  const shops = new Map();
  const orders = [];
  const changed = new EventEmitter();
  const handler = webhookHandler({
    profileOf: (url) => shops.get(url),
    onOrder(order) {
      orders.push(order);
      changed.emit("order");
    },
  });
  const stepsOf = ({ fulfillment, adjustments = [] }) =>
    (fulfillment.events ?? []).length + adjustments.length;
  /** The order in the webhook after this many shipments and adjustments. Waits for it. */
  const orderAfter = async (id, steps) => {
    const matching = () => orders.find((order) => order.id === id && stepsOf(order) === steps);
    while (matching() === undefined) await once(changed, "order");
    return matching();
  };
  return { shops, handler, orderAfter };
}
