/**
 * Walks what exists today on a throw-away installation, saying each step in plain words. Ends with
 * an error if an answer is not what it should be. `--once` stops there; otherwise it keeps serving.
 */
import { execFile, spawn } from "node:child_process";
import { EventEmitter, once as happens } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newsDesk, orderLines } from "../examples/ucp-buyer/news.js";
import { openPlatform } from "../examples/ucp-buyer/platform.js";
import * as agents from "../packages/agent/dist/index.js";
import {
  canonicalBytes,
  generateEd25519,
  signTagged,
  verifyCard,
  verifyTagged,
} from "../packages/protocol/dist/index.js";
import { createAgent, startDirectory } from "./signing-agent.mjs";

const once = process.argv.includes("--once");
const bin = fileURLToPath(new URL("../packages/cli/bin/gatehouse.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gatehouse-demo-"));
let step = 0;

function say(text) {
  step += 1;
  console.log(`${String(step).padStart(2)}. ${text}`);
}

function expect(holds, what) {
  if (!holds) throw new Error(`the demo expected: ${what}`);
}

/** The shop's own web server: Gatehouse will look here for the proof of the domain. */
async function startShop() {
  const pages = new Map();
  const server = createServer((request, response) => {
    const page = pages.get(request.url);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/plain" });
    response.end(page ?? "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { pages, server, domain: `shop.localhost:${server.address().port}` };
}

function environment(name, extra) {
  return {
    PATH: process.env.PATH,
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_PORT: "0",
    GATEHOUSE_DATA_DIR: join(folder, name),
    ...extra,
  };
}

async function startGatehouse(env) {
  const child = spawn(process.execPath, [bin, "serve"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`gatehouse serve ended with ${code}`)));
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const match = /listening on {2}(\S+)/.exec(text);
      if (match) resolve(match[1]);
    });
  });
  const token = readFileSync(join(env.GATEHOUSE_DATA_DIR, "admin-token"), "utf8").trim();
  return { child, url, token };
}

/** Not waited for in one piece: connections that end meanwhile are noticed, and not used again. */
function run(env, ...args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { env }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

async function command(env, ...args) {
  const { status, stdout, stderr } = await run(env, ...args);
  expect(status === 0, `\`gatehouse ${args.join(" ")}\` to succeed, but: ${stderr}`);
  return stdout;
}

function asking(url, token) {
  return async (method, path, body, bearer = token) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
}

async function walkSites(ask, shop) {
  const created = await ask("POST", "/v1/admin/sites", {
    domain: shop.domain,
    name: "Fern & Petal",
  });
  expect(created.status === 201 && created.body.status === "pending", "a new, pending site");
  const site = created.body;
  say(`took the flower shop on: ${site.site_key}, waiting for proof of ${shop.domain}`);
  const verify = `/v1/admin/sites/${site.site_key_hash}/verify`;
  const early = await ask("POST", verify, { method: "file" });
  expect(early.status === 422, "verification to fail without proof");
  say(`verification without proof is refused: “${early.body.message}”`);
  shop.pages.set("/.well-known/gatehouse-verification.txt", site.verification.token);
  const verified = await ask("POST", verify, { method: "file" });
  expect(verified.body.status === "verified", "the domain to be verified");
  say("the shop published the token, Gatehouse fetched it, the domain is verified");
  return site;
}

async function walkAccess(ask, site) {
  const tokens = `/v1/admin/sites/${site.site_key_hash}/tokens`;
  const reviewer = (await ask("POST", tokens, { name: "Robin", role: "reviewer" })).body.token;
  const path = `/v1/admin/sites/${site.site_key_hash}`;
  const seen = await ask("GET", path, undefined, reviewer);
  const denied = await ask("PATCH", path, { name: "Mine now" }, reviewer);
  expect(seen.status === 200 && denied.status === 403, "a reviewer to read but not to change");
  say(`a reviewer's token reads the site but may not change it: “${denied.body.message}”`);
  const twice = await ask(
    "POST",
    "/v1/admin/sites",
    '{"domain":"a.example.com","domain":"b.example.com"}',
  );
  expect(twice.status === 400, "a duplicate key to be refused");
  say(`a body two readers could read differently is refused: “${twice.body.message}”`);
}

async function walkSignatures() {
  const { signer, jwk } = await generateEd25519("demo-agent");
  const mandate = { v: 1, mandate_id: "demo-0123456789abcdef", skill: "get_pricing" };
  const signature = await signTagged("mandate", mandate, signer);
  const holds = await verifyTagged("mandate", mandate, signature, jwk);
  const moved = await verifyTagged("receipt", mandate, signature, jwk);
  const changed = await verifyTagged(
    "mandate",
    { ...mandate, skill: "place_order" },
    signature,
    jwk,
  );
  expect(holds && !moved && !changed, "a signature that holds for its own message only");
  say("an agent's signature holds for its message, and not for a changed one or another purpose");
}

/** What agents read: one list of skills, in every form they look for. */
async function walkDiscovery(ask, url, site) {
  const skills = [
    { id: "get_pricing", enabled: true, url: "https://fernandpetal.example/prices" },
    { id: "contact_support", enabled: true, url: "https://fernandpetal.example/help" },
    {
      id: "track_delivery",
      enabled: true,
      url: "https://fernandpetal.example/track",
      title: "Track a delivery",
      description: "See where a bouquet is.",
    },
  ];
  const path = `/v1/admin/sites/${site.site_key_hash}/skills`;
  const set = await ask("PUT", path, { skills });
  expect(set.status === 200 && set.body.live.length === 3, "three live skills");
  say(`the owner offers ${set.body.live.join(", ")}`);
  const read = async (address) => (await fetch(address)).text();
  const card = JSON.parse(await read(`${url}/v1/agent-card/${site.site_key}.json`));
  const { catalog_url, llms_url, agent_page_url } = card.site;
  for (const address of [catalog_url, llms_url, agent_page_url]) {
    const text = await read(address);
    expect(
      card.skills.every(({ name }) => text.includes(name)),
      `every skill at ${address}`,
    );
  }
  say("card, catalog, llms.txt and agent page list the same skills; look at the page:");
  console.log(`      ${agent_page_url}`);
  const found = await fetch(`${url}/v1/agent/domain/${site.domain}`, { redirect: "manual" });
  expect(found.headers.get("location") === agent_page_url, "the page to be found by the domain");
  return card;
}

async function walkVerification(env, card) {
  const { keys } = await (await fetch(card.site.jwks_url)).json();
  const findKey = (kid) => keys.find((key) => key.kid === kid);
  const verdict = async (one) => verifyCard(canonicalBytes(one), { findKey, now: Date.now() });
  expect((await verdict(card)).ok, "the card to verify");
  const forged = { ...card, site: { ...card.site, service_endpoint: "https://evil.example/" } };
  const refused = (await verdict(forged)).checks.find(({ ok }) => !ok);
  expect(refused !== undefined, "a forged card to be refused");
  say(`an agent verified the card with the public keys; a forged one fails: ${refused.text}`);
  const address = `${new URL(card.site.jwks_url).origin}/v1/agent-card/${card.site.site_key}.json`;
  say("`gatehouse verify` says each step:");
  const lines = (await command(env, "verify", address)).trim().split("\n");
  for (const line of lines) console.log(`      ${line}`);
}

/** What an agent does with it: connect to the address in the card, and call a tool. */
async function walkMcp(env, url, card) {
  let session = {};
  const rpc = async (method, params = {}) => {
    const response = await fetch(card.site.mcp_endpoint, {
      method: "POST",
      headers: { "content-type": "application/json", ...session },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const id = response.headers.get("mcp-session-id");
    if (id !== null) session = { "mcp-session-id": id };
    return response.json();
  };
  const { result: server } = await rpc("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "demo-agent", version: "1" },
  });
  const { tools } = (await rpc("tools/list")).result;
  const names = (list, member) => list.map((one) => one[member]).join(", ");
  expect(names(tools, "name") === names(card.skills, "id"), "the card's skills as tools");
  say(`an agent connected over MCP to “${server.serverInfo.title}” and found its skills as tools`);
  const { result } = await rpc("tools/call", {
    name: "get_pricing",
    arguments: { question: "What does a bouquet cost?" },
  });
  expect(result.structuredContent.url === card.skills[0].url, "the page that answers");
  say(`it called get_pricing: “${result.content[0].text}”`);
  const { error } = await rpc("tools/call", { name: "place_order", arguments: {} });
  expect(error.code === -32602, "a tool that is not offered to be refused");
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const tail = await command(here, "audit", "tail", card.site.domain);
  const calls = tail.split("\n").filter((line) => line.includes("mcp.tools_call"));
  expect(calls.length === 2, "both calls in the log");
  say("that call, and one of a tool the shop does not offer, are in the log already:");
  for (const line of calls) console.log(`      ${line}`);
}

/** The shop's own application, with the plugin in front, which trusts the agent's authority. */
async function startShopApp(settings, directory) {
  const ca = join(folder, "agent-authority.pem");
  writeFileSync(ca, directory.ca);
  const app = fileURLToPath(new URL("../examples/express-site/server.js", import.meta.url));
  const child = spawn(process.execPath, [app], {
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      NODE_EXTRA_CA_CERTS: ca,
      GATEHOUSE_KEYS_ALLOW: directory.host,
      ...settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`the shop's application ended with ${code}`)));
    child.stdout.on("data", (text) => resolve(/http:\S+/.exec(text)[0]));
  });
  const stop = () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit").on("exit", resolve);
      child.kill("SIGTERM");
    });
  return { url, stop };
}

/** What the owner sees of who comes: an agent that proves who it is, one that only says so. */
async function walkVisits(env, url, site) {
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const token = ["token", "create", "--role", "edge", "--name", "shop", "--site", site.domain];
  const lines = (await command(here, ...token)).trim().split("\n");
  const settings = Object.fromEntries(lines.map((line) => line.split("=")));
  const agent = await createAgent();
  const directory = await startDirectory("agent.localhost");
  directory.keys = [agent.jwk];
  const app = await startShopApp(settings, directory);
  const own = await (await fetch(`${app.url}/.well-known/agent-card.json`)).text();
  const theirs = await (await fetch(`${url}/v1/agent-card/${site.site_key}.json`)).text();
  expect(own === theirs, "the card on the shop's own domain");
  say(
    "the shop's own application, with the plugin in front, serves the card, llms.txt and the rest",
  );
  const page = `http://${site.domain}/prices`;
  const proven = await agent.sign(page, { origin: directory.origin });
  const misused = await agent.sign("http://other.example/", { origin: directory.origin });
  const visitors = [{ ...proven }, { ...misused, "user-agent": "GPTBot/1.2" }];
  for (const headers of visitors) {
    const response = await fetch(`${app.url}/prices`, { headers });
    expect(response.status === 200 && (await response.text()).includes("bouquet"), "the page");
  }
  await app.stop();
  await directory.close();
  const list = await command(here, "visit", "list", site.domain);
  expect(/verified_agent .*verified /.test(list), "a verified agent");
  expect(/GPTBot \(OpenAI\) +invalid \(verification_failed\)/.test(list), "a failed signature");
  say(
    "one agent signed its request, one brings a signature made for another site; both got the page:",
  );
  for (const line of list.trim().split("\n")) console.log(`      ${line}`);
}

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
async function walkMandates(env, url, site) {
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify(RULES));
  say((await command(here, "policy", "publish", site.domain, file)).trim());
  const key = await agents.openAgentKey(await agents.generateAgentKey());
  const shop = await agents.discover(`${url}/v1/agent-card/${site.site_key}.json`);
  const { agentId } = await agents.register(shop, key, { name: "Flower buyer" });
  const sign = (skill) => agents.sign(agents.mandateFor(shop, agentId, { skill }), key);
  const early = await agents.send(shop, await sign("get_pricing"));
  expect(early.body.reason === "agent_pending", "an agent that waits to be refused");
  await command(here, "agent", "approve", site.domain, agentId);
  say("an agent verified the shop, registered its key, waited, and was approved by the owner");
  const asked = await sign("get_pricing");
  const approved = await agents.send(shop, asked);
  const again = await agents.send(shop, asked);
  expect(approved.body.outcome === "approved", "an approved mandate");
  expect(again.headers.get("idempotent-replayed") === "true", "the same answer to the same bytes");
  say("its signed mandate was approved; the same bytes again get the same answer, decided once");
  const changed = { ...asked, signed: { ...asked.signed, skill: "contact_support" } };
  const forged = await agents.send(shop, changed);
  expect(forged.body.reason === "signature_invalid", "a changed mandate to be refused");
  const refused = await agents.send(shop, await sign("track_delivery"));
  expect(refused.body.reason === "policy_denied", "what no rule allows to be refused");
  say(`a changed one is ${forged.body.reason}, and what no rule allows is ${refused.body.reason}`);
  const waits = await sign("contact_support");
  const escalated = await agents.send(shop, waits);
  expect(escalated.status === 202, "a mandate that waits for a person");
  await command(here, "review", "approve", site.domain, escalated.body.escalation_id);
  const later = await agents.send(shop, waits);
  expect(later.body.outcome === "approved", "the approval");
  say(
    "one the rules leave to a person waited for the owner, who approved it; all of it is recorded:",
  );
  const tail = await command(here, "audit", "tail", site.domain);
  const lines = tail.split("\n").filter((line) => /mandate\.|review\./.test(line));
  for (const line of lines) console.log(`      ${line}`);
}

const PRODUCTS = `id,title,price,currency,quantity
bouquet,"Bouquet ""Spring""",29.00,EUR,12
palm,A palm as tall as you,140.00,EUR,2
`;

/** What an agent may buy: the owner says what is sold, up to where agents buy by themselves. */
async function walkOrders(env, url, site) {
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const products = join(folder, "products.csv");
  writeFileSync(products, PRODUCTS);
  const imported = (await command(here, "product", "import", site.domain, products)).trim();
  await command(here, "skill", "set", site.domain, "place_order");
  const limit = ["--limit", "50.00", "--currency", "EUR"];
  const file = join(folder, "selling.json");
  writeFileSync(file, await command(here, "policy", "preset", "automatic_under", ...limit));
  await command(here, "policy", "publish", site.domain, file);
  const gates = await command(here, "site", "connect", site.domain, "--processor", "sandbox");
  expect(gates.includes("Agents can buy."), "every gate to be open");
  say(`the owner sells: ${imported} Agents may buy for 50 EUR by themselves; above, they ask`);
  const shop = await agents.discover(`${url}/v1/agent-card/${site.site_key}.json`);
  const stored = await agents.generateAgentKey();
  const key = await agents.openAgentKey(stored);
  const { agentId } = await agents.register(shop, key, { name: "Gift finder" });
  await command(here, "agent", "approve", site.domain, agentId);
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
  say(
    "one of 29.00 is approved and authorized; sent again, by MCP this time, it is the same order",
  );
  const broke = { handler: "sandbox", token: "pm_card_chargeDeclinedInsufficientFunds" };
  const declined = await agents.send(shop, await order("bouquet", { payment: broke }));
  expect(declined.body.reason === "payment_declined", "a declined card");
  const palm = await order("palm");
  const waits = await agents.send(shop, palm);
  expect(waits.body.outcome === "escalated", "a palm to need a person");
  await command(here, "review", "approve", site.domain, waits.body.escalation_id);
  expect((await agents.send(shop, palm)).body.outcome === "approved", "the palm to be sold");
  say("a card without money is declined; a palm of 140.00 waited for the owner. Their orders:");
  const orders = (await command(here, "order", "list", site.domain)).trim().split("\n");
  expect(orders.length === 3, "two orders");
  for (const line of orders) console.log(`      ${line}`);
}

const DELIVERY = {
  shipping: [
    {
      countries: ["DE"],
      options: [{ id: "standard", title: "By bicycle", prices: { EUR: "4.90" }, days: [1, 2] }],
    },
  ],
};

/** What a platform does that speaks UCP: it finds the shop, and buys for somebody. */
async function walkCheckout(env, url, { site, platform }) {
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const file = join(folder, "shop.json");
  writeFileSync(file, JSON.stringify(DELIVERY));
  await command(here, "site", "shop", site.domain, "--file", file);
  const card = `${url}/v1/agent-card/${site.site_key}.json`;
  const buyer = fileURLToPath(new URL("../examples/ucp-buyer/buy.js", import.meta.url));
  const buy = (what) =>
    new Promise((resolve) => {
      const key = ["--key", platform.keyFile, "--profile", platform.url];
      execFile(process.execPath, [buyer, card, what, ...key], (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : error.code, stdout, stderr });
      });
    });
  const bought = await buy("bouquet");
  expect(bought.status === 0, `a bouquet to be bought by UCP, but: ${bought.stderr}`);
  say(
    "a platform that knows only UCP found the shop, checked its signatures and terms, and bought:",
  );
  for (const line of bought.stdout.trim().split("\n")) console.log(`      ${line}`);
  const waits = await buy("palm");
  expect(waits.status === 4 && waits.stdout.includes("review_required"), "a palm to need a person");
  const page = /see (\S+)/.exec(waits.stdout)[1];
  const shown = await (await fetch(page)).text();
  expect(shown.includes("The shop is looking at this order"), "the buyer's page");
  const { items } = JSON.parse(await command(here, "review", "list", site.domain, "--json"));
  const [review] = items.filter(({ status }) => status === "pending");
  await command(here, "review", "approve", site.domain, review.escalation_id);
  expect((await (await fetch(page)).text()).includes("Thank you"), "the buyer to be thanked");
  say(`the palm waited for the owner, and its buyer saw so on a page; now it is sold: ${page}`);
  const orders = (await command(here, "order", "list", site.domain)).trim().split("\n");
  expect(orders.length === 5, "four orders");
  const [, newest] = /(ord_\S+)/.exec(orders[1]);
  say("`gatehouse order show` says what was bought, by whom, and where to send it:");
  const order = (await command(here, "order", "show", site.domain, newest)).trim().split("\n");
  for (const line of order) console.log(`      ${line}`);
}

/** What follows a sale: the goods are sent, the money is taken and some of it given back. */
async function walkAfterSale(env, url, { site, platform, hearing }) {
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const list = JSON.parse(await command(here, "order", "list", site.domain, "--json")).items;
  const { order_id: id } = list.find(({ protocol }) => protocol === "ucp");
  const order = (...words) => command(here, "order", words[0], site.domain, id, ...words.slice(1));
  await hearing.heard(id, 0);
  await order("ship", "--carrier", "DHL", "--tracking-number", "JD0146");
  await order("rehearse", "capture");
  await order("rehearse", "refund", "--amount", "5.00");
  const news = await hearing.heard(id, 2);
  say(
    "the owner sent it, took the money at the processor and gave 5.00 back. The platform heard of",
  );
  console.log(
    "    it by webhooks signed with the shop's key, in order, with all of the order each time:",
  );
  for (const line of orderLines(news)) console.log(`      ${line}`);
  const pages = `${url}/v1/ucp/${site.site_key_hash}/orders/${id}`;
  expect((await fetch(pages)).status === 400, "strangers to be told nothing of an order");
  const read = await (await platform.call("GET", pages)).json();
  expect(JSON.stringify(read) === JSON.stringify(news), "the order to be what was told");
  say(
    "the platform may ask after it too, by a signed request; nobody else is told that it is there",
  );
  const spare = list.find((one) => one.protocol !== "ucp" && one.payment === "authorized");
  const gone = await command(here, "order", "cancel", site.domain, spare.order_id);
  expect(/^payment +released$/m.test(gone), "a cancelled order's authorization to be given up");
  say("an order of a mandate was cancelled: goods back in stock, authorization given up");
  const told = await command(here, "audit", "tail", site.domain, "--type", "order.adjustment");
  expect(/refund completed/.test(told), "the refund to be recorded");
  say("each of these is in the log: `gatehouse audit tail --type order.adjustment`");
}

async function walkUpkeep(ask, env) {
  const { items } = (await ask("GET", "/v1/admin/keys")).body;
  const current = items.filter((key) => key.state === "current").map((key) => key.kid);
  expect(current.length === 2, "two current signing keys");
  say(`signing keys: ${current.join(", ")}; the next ones are announced already`);
  const hasty = await ask("POST", "/v1/admin/keys/rotate", { purpose: "card" });
  expect(hasty.status === 409, "a hasty rotation to be refused");
  say(`rotating now would surprise verifiers, so: “${hasty.body.message}”`);
  const file = join(folder, "backup.ndjson.gz");
  say((await command(env, "backup", "--out", file)).split("\n")[0].replace(folder, "…"));
  const elsewhere = environment("elsewhere");
  await command(elsewhere, "restore", file);
  const findings = await command(elsewhere, "doctor");
  expect(!/^✗/m.test(findings), "doctor to find nothing wrong");
  say("restored it into an empty folder; `gatehouse doctor` there is clean:");
  for (const line of findings.trim().split("\n")) console.log(`      ${line.replace(folder, "…")}`);
}

/** What an auditor does: take the log away, prove it, and see that no change goes unnoticed. */
async function walkAudit(env, url, site) {
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const out = join(folder, "audit");
  const file = (await command(here, "audit", "export", site.domain, "--out", out)).trim();
  const keys = `${url}/.well-known/audit-jwks.json`;
  const verdict = await command(here, "audit", "verify", file, "--key", keys, "--replay");
  say("everything so far was recorded; the export of today proves itself by the audit key alone:");
  for (const line of verdict.trim().split("\n")) console.log(`      ${line}`);
  const forged = join(out, "forged.json");
  writeFileSync(
    forged,
    readFileSync(file, "utf8").replace('"kind":"verified"', '"kind":"approved"'),
  );
  const args = ["audit", "verify", forged, "--key", keys];
  const refused = await run(here, ...args);
  const [finding] = refused.stdout.split("\n").filter((line) => line.startsWith("✗"));
  expect(refused.status === 1 && finding !== undefined, "a forged record to be found");
  say(`one word changed in it, and the record is named: “${finding.replace(/\s+/g, " ")}”`);
  const checkpoint = await (await fetch(`${url}/v1/audit/${site.site_key_hash}/checkpoint`)).text();
  expect(checkpoint.split("\n").length === 6, "a signed checkpoint");
  say(
    `anybody may keep the log's checkpoint: ${checkpoint.split("\n")[1]} records, and their root`,
  );
}

/** The platform's side of webhooks: what it was told, of shops it bought at. */
function openHearing() {
  const shops = new Set();
  const news = [];
  const changed = new EventEmitter();
  const desk = newsDesk({
    knows: (profileUrl) => shops.has(profileUrl),
    hear(order) {
      news.push(order);
      changed.emit("news");
    },
  });
  const stepsOf = ({ fulfillment, adjustments = [] }) =>
    (fulfillment.events ?? []).length + adjustments.length;
  /** What was told of an order once so much has become of it. */
  const heard = async (id, steps) => {
    const found = () => news.find((order) => order.id === id && stepsOf(order) === steps);
    while (found() === undefined) await happens(changed, "news");
    return found();
  };
  return { shops, desk, heard };
}

async function main() {
  const shop = await startShop();
  const keyFile = join(folder, "platform-key.json");
  const hearing = openHearing();
  const platform = await openPlatform({ keyFile, servePort: 0, desk: hearing.desk });
  const allowed = [shop.domain, new URL(platform.url).host].join(",");
  const env = environment("data", { GATEHOUSE_FETCH_ALLOW: allowed });
  const { child, url, token } = await startGatehouse(env);
  const stop = () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit").on("exit", resolve);
      child.kill("SIGTERM");
    }).finally(() => {
      shop.server.close();
      platform.stop();
      rmSync(folder, { recursive: true, force: true });
    });
  let site;
  try {
    const ask = asking(url, token);
    const version = await (await fetch(`${url}/version`)).json();
    expect((await fetch(`${url}/readyz`)).status === 200, "a ready service");
    say(`Gatehouse ${version.version} runs at ${url} on an empty folder, with SQLite inside`);
    site = await walkSites(ask, shop);
    await walkAccess(ask, site);
    await walkSignatures();
    const card = await walkDiscovery(ask, url, site);
    await walkVerification(env, card);
    await walkMcp(env, url, card);
    await walkVisits(env, url, site);
    await walkMandates(env, url, site);
    await walkOrders(env, url, site);
    hearing.shops.add(`${url}/v1/ucp/${site.site_key_hash}/profile`);
    await walkCheckout(env, url, { site, platform: { ...platform, keyFile } });
    await walkAfterSale(env, url, { site, platform, hearing });
    await walkAudit(env, url, site);
    await walkUpkeep(ask, env);
  } catch (error) {
    await stop();
    throw error;
  }
  console.log("\nEverything answered as it should.");
  if (once) return stop();
  console.log(`\nStill serving at ${url}. Try, in another terminal:`);
  console.log(
    `  GATEHOUSE_BASE_URL=${url} GATEHOUSE_MODE=development GATEHOUSE_ADMIN_TOKEN=${token} npx gatehouse site list`,
  );
  console.log(`  curl ${url}/v1/agent-card/${site.site_key}.json`);
  const link = await command({ ...env, GATEHOUSE_BASE_URL: url }, "token", "link");
  console.log(`The console, signed in once within ten minutes: ${link.trim()}`);
  console.log(
    "For a real site: docs/guide/operator.md, then docs/guide/owner.md. Ctrl-C stops and cleans up.",
  );
  await new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await stop();
}

main().catch((error) => {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
});
