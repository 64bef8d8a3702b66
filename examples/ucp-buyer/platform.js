/** A platform: its key, its profile, and calls signed with it (RFC 9421). */
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createSigner, httpbis } from "http-message-signatures";
import { Ended } from "./shop.js";

const VERSION = "2026-08-25";
/** What it can do, by UCP's names, and where UCP says what that is. */
const CAPABILITIES = {
  "catalog.search": ["catalog/search", "catalog_search.json"],
  "catalog.lookup": ["catalog/lookup", "catalog_lookup.json"],
  cart: ["cart", "cart.json"],
  checkout: ["checkout", "checkout.json"],
  fulfillment: ["extensions/fulfillment", "fulfillment.json"],
  order: ["order", "order.json"],
};
const WEBHOOK_PATH = "/orders";

function readKey(file) {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { ...privateKey.export({ format: "jwk" }), kid: randomUUID() };
  writeFileSync(file, JSON.stringify(key), { mode: 0o600 });
  return key;
}

/** `webhookUrl` is where shops send order webhooks. Without it, they send none. */
function profileOf({ d: _, ...key }, webhookUrl) {
  const webhook = webhookUrl === undefined ? {} : { config: { webhook_url: webhookUrl } };
  const entry = ([name, [spec, schema]]) => ({
    version: VERSION,
    spec: `https://ucp.dev/${VERSION}/specification/shopping/${spec}`,
    schema: `https://ucp.dev/${VERSION}/schemas/shopping/${schema}`,
    ...(name === "fulfillment" ? { extends: "dev.ucp.shopping.checkout" } : {}),
    ...(name === "order" ? webhook : {}),
  });
  const listed = Object.entries(CAPABILITIES).map((one) => [
    `dev.ucp.shopping.${one[0]}`,
    [entry(one)],
  ]);
  return {
    ucp: {
      version: VERSION,
      services: {},
      payment_handlers: {},
      capabilities: Object.fromEntries(listed),
    },
    keys: [{ ...key, use: "sig", alg: "ES256" }],
  };
}

/**
 * Publishes the profile on this machine, and receives order webhooks if `onWebhook` is given. A real platform
 * does this on the web.
 */
async function serve(key, { port, onWebhook }) {
  const server = createServer((request, response) => {
    if (onWebhook !== undefined && request.method === "POST")
      return onWebhook(request, response, origin);
    response.setHeader("content-type", "application/json");
    response.setHeader("cache-control", "public, max-age=60");
    response.end(JSON.stringify(profile));
  });
  await new Promise((resolve, reject) => {
    server.once("error", () => reject(new Ended(`Port ${port} is in use on this machine.`)));
    server.listen(port, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  const profile = profileOf(key, onWebhook && origin + WEBHOOK_PATH);
  return {
    profile,
    url: `${origin}/profile`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const digestOf = (body) => `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;

export async function openPlatform({ keyFile, profileUrl, servePort, webhookUrl, onWebhook }) {
  const key = readKey(keyFile);
  const served =
    servePort === undefined ? undefined : await serve(key, { port: servePort, onWebhook });
  const profile = served?.profile ?? profileOf(key, webhookUrl);
  const url = served?.url ?? profileUrl;
  const signer = createSigner(
    createPrivateKey({ key, format: "jwk" }),
    "ecdsa-p256-sha256",
    key.kid,
  );

  /** Calls a shop, signed; `key` makes a retry safe. */
  async function call(method, address, body, { key: once = randomUUID() } = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      "ucp-agent": `profile="${url}"`,
      ...(method === "GET" ? {} : { "idempotency-key": once }),
      ...(text === undefined
        ? {}
        : { "content-type": "application/json", "content-digest": digestOf(text) }),
    };
    const fields = ["@method", "@authority", "@path", ...Object.keys(headers)];
    const signed = await httpbis.signMessage(
      { key: signer, name: "sig1", fields, params: ["created", "keyid"] },
      { method, url: address, headers },
    );
    return fetch(address, { method, headers: signed.headers, ...(text && { body: text }) });
  }
  return { url, profile, call, stop: () => served?.stop() };
}
