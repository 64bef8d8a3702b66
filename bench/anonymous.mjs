/**
 * What requests of strangers cost that prove nothing: searching a shop of 10,000 products, asking for a
 * challenge, and calls that are refused. Whoever sends them pays nothing, so each must be cheap.
 */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openShop, TOKEN } from "./mandates.mjs";
import { interleaved, startServer } from "./serving.mjs";

const PRODUCTS = 10_000;
/** In each of the rounds: those before the first that counts are 2,100. */
const REQUESTS = 350;
const CONNECTIONS = 64;
const LARGE_BYTES = 50_000;
const GOAL_MICROS = 1000;
/** Beside those that the server under test has lifted already. */
const LIMITS = [
  "SHOP_CHANGES_PER_SITE_PER_MINUTE",
  "SHOP_READS_PER_SITE_PER_MINUTE",
  "PROFILE_FETCHES_PER_SOURCE_PER_MINUTE",
  "REGISTRATIONS_PER_ADDRESS_PER_HOUR",
].map((name) => [`GATEHOUSE_${name}`, "1000000"]);
const LIMITED_BY =
  "What limits it: an exchange over HTTP by itself is 250 to 300 µs here, and the signature of UCP's answer 150. Of a " +
  "search, a third is SQLite: the index of words (a beginning of a word costs 350 µs where a whole word costs 190) and " +
  "the rows of the page. Fifty products looked up, put into a cart or priced for an order cost 20 to 40 µs each: read, " +
  "checked, priced and written as JSON. Of 258 KB of escapes nearly all is the strict parser, at 15 ns a byte, and the " +
  "body is admitted by its size first.\n";
const JSON_TYPE = { "content-type": "application/json" };
const VERSION = "2026-08-25";
const FLOWERS = ["rose", "tulip", "palm", "fern", "lily", "orchid", "cactus", "bonsai"];

/** The profile of a platform that signs nothing. */
async function startPlatform() {
  const names = ["cart", "checkout", "catalog.search", "catalog.lookup"];
  const capabilities = names.map((name) => [`dev.ucp.shopping.${name}`, [{ version: VERSION }]]);
  const ucp = {
    version: VERSION,
    services: {},
    payment_handlers: {},
    capabilities: Object.fromEntries(capabilities),
  };
  const server = createServer((_request, response) => {
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ ucp, keys: [] }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${server.address().port}`;
  return { host, profile: `http://${host}/profile`, stop: () => server.close() };
}

async function importProducts({ url, siteKeyHash }) {
  const products = Array.from({ length: PRODUCTS }, (_, n) => ({
    id: `p-${n}`,
    title: `${FLOWERS[n % FLOWERS.length]} number ${n}`,
    description: "Grown outdoors, sent on Mondays, with a card if you like one.",
    price: `${1 + (n % 90)}.00`,
    currency: "EUR",
    quantity: 50,
  }));
  const response = await fetch(`${url}/v1/admin/sites/${siteKeyHash}/products/import`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson", authorization: `Bearer ${TOKEN}` },
    body: products.map((product) => JSON.stringify(product)).join("\n"),
  });
  if (!response.ok) throw new Error(await response.text());
}

const items = (count) =>
  Array.from({ length: count }, (_, n) => ({ id: `p-${n * 7}`, quantity: 1 }));
const lines = (count) => ({
  line_items: items(count).map(({ id, quantity }) => ({ item: { id }, quantity })),
});

/** A call of an MCP tool, as a client sends it that has no session. */
function toolCall(url, name, args) {
  const headers = { ...JSON_TYPE, accept: "application/json, text/event-stream" };
  const params = { name, arguments: args };
  return {
    url,
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
}

function requestsOf({ url, siteKey, siteKeyHash }, { profile }) {
  const agent = { ...JSON_TYPE, "ucp-agent": `profile="${profile}"` };
  const shop = `${url}/v1/ucp/${siteKeyHash}`;
  const mcp = `${url}/v1/mcp/${siteKey}`;
  const at = `${url}/v1/m/${siteKey}`;
  const { publicKey } = generateKeyPairSync("ed25519");
  const { kty, crv, x } = publicKey.export({ format: "jwk" });
  const post = (address, body, headers = JSON_TYPE) => ({
    url: address,
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const signed = { v: 1, mandate_id: randomUUID(), agent_id: "agt_unknown0", site_key: siteKey };
  const envelope = { alg: "EdDSA", kid: "agt_unknown0-1", signature: "A".repeat(86) };
  return {
    "UCP search": post(`${shop}/catalog/search`, { query: "rose" }, agent),
    "UCP lookup of 50": post(
      `${shop}/catalog/lookup`,
      { ids: items(50).map(({ id }) => id) },
      agent,
    ),
    "UCP cart of 50": post(`${shop}/carts`, lines(50), agent),
    "UCP search without a profile": post(`${shop}/catalog/search`, { query: "rose" }),
    "MCP call of a link skill": toolCall(mcp, "get_pricing", {}),
    "MCP call of an unknown tool": toolCall(mcp, "unknown_tool", {}),
    "MCP order of 50 without a mandate": toolCall(mcp, "place_order", { items: items(50) }),
    "MCP body of 258 KB of escapes": toolCall(mcp, "get_pricing", {
      note: "\u0001".repeat(43_000),
    }),
    "challenge for a key": post(`${at}/agents/challenge`, { jwk: { kty, crv, x } }),
    "mandate of an unknown agent": post(`${at}/mandate`, { signed, envelope }),
    "provider's event with a wrong signature": post(
      `${url}/v1/hooks/stripe/${siteKeyHash}/events`,
      JSON.stringify({ id: "evt_1", text: "x".repeat(100_000) }),
      { ...JSON_TYPE, "stripe-signature": `t=1,v1=${"0".repeat(64)}` },
    ),
  };
}

async function send({ url, headers, body }) {
  const key = { "idempotency-key": randomUUID() };
  const response = await fetch(url, { method: "POST", headers: { ...key, ...headers }, body });
  await response.arrayBuffer();
  return response.status;
}

/** CPU microseconds of the server per request; every answer must have the status of the first. */
async function cost(server, request, status) {
  // One address may have only so many large bodies under way.
  const connections = request.body.length > LARGE_BYTES ? 2 : CONNECTIONS;
  const before = await server.ask("cpu");
  let left = REQUESTS;
  const work = async () => {
    while (left-- > 0) {
      const answered = await send(request);
      if (answered !== status)
        throw new Error(`${request.url} answered ${answered}, not ${status}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return ((await server.ask("cpu")) - before) / REQUESTS;
}

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const platform = await startPlatform();
  const settings = { ...Object.fromEntries(LIMITS), GATEHOUSE_FETCH_ALLOW: platform.host };
  const server = startServer("servers/gatehouse.mjs", folder, "1", JSON.stringify(settings));
  const ready = await server.ready;
  try {
    await openShop(ready);
    await importProducts(ready);
    const rows = [];
    let missed = false;
    for (const [name, request] of Object.entries(requestsOf(ready, platform))) {
      const status = await send(request);
      const run = () => cost(server, request, status);
      const [{ micros }] = await interleaved([run], { baseline: 0 });
      missed ||= micros > GOAL_MICROS;
      const verdict = micros <= GOAL_MICROS ? "reached" : "**MISSED**";
      rows.push(`| ${name} | ${status} | ${micros.toFixed(0)} | ${verdict} |`);
    }
    const head = [
      `## Requests that prove nothing (SQLite, ${PRODUCTS.toLocaleString("en")} products)\n`,
      `Goal: at most ${GOAL_MICROS} µs of CPU each.\n`,
      "| Request | Status | CPU µs | |",
      "|---|---|---|---|",
    ];
    return { lines: [...head, ...rows, "", ...(missed ? [LIMITED_BY] : [])], missed };
  } finally {
    server.stop();
    platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
