import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Finished } from "../../../../test/gatehouse-process.ts";
import { ManualClock } from "../../../server/src/infra/clock.ts";
import { ShopStandIn } from "../../../server/test/connectors/shop-stand-in.ts";
import {
  createSite,
  freshEnvironment,
  startServer,
  temporaryFolder,
} from "../../../server/test/harness.ts";
import { startReceiver } from "../../../server/test/notifications/receiver.ts";
import { selling } from "../../../server/test/selling/selling.ts";
import { StripeSimulator } from "../../../server/test/stripe/simulator.ts";
import { command } from "../command.ts";

const FEED = '{"id":"feed","title":"From a feed","price":"1.00","currency":"EUR"}\n';

/** The web server of the shop, which has a home page, a product feed and nothing else. */
async function startHomePage() {
  const server = createServer((request, response) => {
    if (request.url === "/feed.jsonl") return response.end(FEED);
    response.writeHead(request.url === "/" ? 200 : 404, { "content-type": "text/html" });
    return response.end("<!doctype html><title>Shop</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { domain: `shop.localhost:${(server.address() as AddressInfo).port}`, server };
}

/** Somebody who calls itself an agent comes to a page of the shop. */
function visit(url: string, site_key: string, domain: string) {
  const beacon = {
    schema_version: "1",
    site_key,
    observed_at: new Date().toISOString(),
    identification: { user_agent: "GPTBot/1.2" },
    page_context: { url: `http://${domain}/prices` },
  };
  const headers = { "content-type": "application/json" };
  return fetch(`${url}/v1/discovery/ingest`, {
    method: "POST",
    headers,
    body: JSON.stringify(beacon),
  });
}

/** An agent calls a tool. */
function ask(url: string, args: object) {
  const params = { name: "get_pricing", arguments: args };
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
}

/** A running service with a shop that was visited and sells, and what a test needs of it. */
export async function openStage() {
  const home = await startHomePage();
  const receiver = await startReceiver();
  const stripe = await StripeSimulator.start();
  const shopSystem = await ShopStandIn.start(new ManualClock(Date.now()));
  const base = {
    ...(await freshEnvironment("sqlite")),
    GATEHOUSE_FETCH_ALLOW: `127.0.0.1,${home.domain}`,
    GATEHOUSE_STRIPE_API_BASE: stripe.url,
  };
  const server = await startServer(base);
  const { url } = server;
  const env: Record<string, string> = { ...base, GATEHOUSE_BASE_URL: url };
  const folder = temporaryFolder({ ofSender: true });
  const run = (...args: string[]): Promise<Finished> => command(args, env);
  await createSite(server, home.domain);
  const sells = selling(server);
  const sold = await sells.shop();
  const shop: string = (await sold.admin("GET", "")).body.domain;
  await sold.admin("PUT", "/notifications", { webhook_url: receiver.url });
  await visit(url, sold.site_key, shop);
  const card = `${url}/v1/agent-card/${sold.site_key}.json`;
  let made = 0;

  /** A name nobody has used yet. */
  const fresh = (ending: string) => join(folder, `${++made}.${ending}`);
  const file = (ending: string, content: string | Uint8Array) => {
    const path = fresh(ending);
    writeFileSync(path, content);
    return path;
  };
  const keygen = async () => {
    const path = fresh("json");
    await run("agent", "keygen", "--out", path);
    return path;
  };
  const key = await keygen();
  const [agentId = ""] = (
    await run("agent", "add", shop, "--key", key, "--name", "Ours")
  ).out.split("  ");
  const buyer = await sells.buyer(sold);

  /** How to ask for something as the agent whose key is at hand. */
  const asking = (...more: string[]) => [
    card,
    "--key",
    key,
    "--agent",
    agentId,
    "--skill",
    "get_pricing",
    ...more,
  ];

  /** A question that nobody has answered. */
  const question = async () => {
    const args = { question: `Is number ${++made} free?` };
    await ask(`${url}/v1/mcp/${sold.site_key}`, args);
    await server.context.questions.drain();
    const { items } = (await sold.admin("GET", "/questions?state=new&limit=200")).body;
    return items.find((one: typeof args) => one.question === args.question).question_id as string;
  };

  return {
    server,
    url,
    env,
    folder,
    shop,
    shopSystem,
    feed: `http://${home.domain}/feed.jsonl`,
    card,
    key,
    agentId,
    run,
    fresh,
    file,
    keygen,
    asking,
    siteKey: sold.site_key,
    /** A site that has a home page. */
    home: home.domain,
    /** The key of a Stripe account of its own. */
    stripeKey: () => stripe.openAccount({ restricted: true }).key,
    /** A site of its own, verified. */
    site: async () => (await createSite(server, `site-${++made}.example.com`)).domain as string,
    /** A site that is connected to the shop system. */
    connected: async () => {
      const { domain, site_key_hash } = await createSite(server, `site-${++made}.example.com`);
      await shopSystem.connect(server, site_key_hash);
      return domain as string;
    },
    /** An agent that waits for the owner. */
    waiting: async () => {
      const args = ["--key", await keygen(), "--name", "Waiting", "--json"];
      return JSON.parse((await run("agent", "register", card, ...args)).out).agent_id as string;
    },
    /** An agent the owner has admitted. */
    active: async () => (await sells.buyer(sold)).agentId,
    /** An order that was paid, and of which nothing was sent. */
    order: async () => {
      const { body } = await sells.order(sold, buyer);
      const orders: { order_id: string; mandate_id: string }[] = await sells.orders(sold);
      return orders.find(({ mandate_id }) => mandate_id === body.mandate_id)?.order_id as string;
    },
    /** What only a person may decide. */
    review: async () => {
      const items = [{ id: "palm", quantity: 1 }];
      const { body } = await sells.order(sold, buyer, { items, total: "600.00" });
      return body.escalation_id as string;
    },
    question,
    dismissedQuestion: async () => {
      const id = await question();
      await sold.admin("POST", `/questions/${id}/dismiss`, {});
      return id;
    },
    /** A mandate that was sent, in the file it was kept in, and its id. */
    sent: async () => {
      const path = fresh("json");
      await run("mandate", "send", ...asking("--out", path));
      const { signed } = JSON.parse(readFileSync(path, "utf8"));
      return { path, mandateId: signed.mandate_id as string };
    },
    /** A day of the shop's log, exported. */
    exported: async () => (await run("audit", "export", shop, "--out", fresh("export"))).out.trim(),
    close: async () => {
      home.server.close();
      receiver.close();
      shopSystem.stop();
      await stripe.stop();
    },
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;
