/** Receives the order webhooks of shops, and checks their signatures with nothing but the profile of the shop. */
import { createHash } from "node:crypto";
import { httpbis } from "http-message-signatures";
import { json, keyLookupOf, must } from "./shop.js";

const BODY_BYTES_MAX = 262_144;
const FRESH_S = 300;
/** All that UCP has such a request's signature cover. */
const COVERED = ["@method", "@authority", "@path", "ucp-agent", "content-digest", "content-type"];

async function bytesOf(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    must(length <= BODY_BYTES_MAX, "the webhook is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The order in a webhook. `profileOf` returns the profile of a shop where something was bought, by either of
 * its addresses. Others can post here too, with their own signatures.
 */
async function readWebhook(request, address, profileOf) {
  const body = await bytesOf(request);
  const { headers } = request;
  const [, named] = /profile="([^"]+)"/.exec(headers["ucp-agent"] ?? "") ?? [];
  const profileUrl = profileOf(named);
  must(profileUrl !== undefined, "the webhook is from a shop where nothing was bought");
  const digest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
  must(headers["content-digest"] === digest, "the body is not what was signed");
  const verified = await httpbis.verifyMessage(
    {
      keyLookup: keyLookupOf(await json(profileUrl)),
      requiredFields: [...COVERED, "webhook-id", "webhook-timestamp"],
      requiredParams: ["created", "keyid"],
      maxAge: FRESH_S,
      tolerance: 60,
    },
    { method: "POST", url: new URL(request.url, address).href, headers },
  );
  must(verified === true, "the webhook is not signed by the shop");
  return JSON.parse(body.toString("utf8"));
}

/** Handles webhooks. A shop that gets no answer sends the webhook again, so each is reported once. */
export function webhookHandler({ profileOf, onOrder }) {
  const seen = new Set(); // In a real platform, this is a table.
  return async (request, response, address) => {
    try {
      const order = await readWebhook(request, address, profileOf);
      const id = request.headers["webhook-id"];
      if (!seen.has(id)) onOrder(order);
      seen.add(id);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ucp: { version: "2026-08-25", status: "success" } }));
    } catch (error) {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: error.message }));
    }
  };
}

/** An amount as people write it. Shops send whole minor units. */
export function inMajor(minor, currency) {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const { maximumFractionDigits: digits } = format.resolvedOptions();
  return (minor / 10 ** digits).toFixed(digits);
}

const isMoney = ({ totals }) => totals?.some(({ type }) => type === "total");

/** An order in a few lines. */
export function orderLines({ id, currency, line_items, fulfillment, adjustments = [] }) {
  return [
    `order ${id}`,
    ...line_items.map(
      ({ item, quantity, status }) =>
        `  ${item.title}: ${quantity.fulfilled} of ${quantity.total} sent, ${status}`,
    ),
    ...(fulfillment.events ?? []).map(({ type, carrier = "", tracking_number = "" }) =>
      `  ${type} ${carrier} ${tracking_number}`.trimEnd(),
    ),
    ...adjustments.map((one) => {
      const sum = isMoney(one) ? ` ${inMajor(one.totals[0].amount, currency)} ${currency}` : "";
      return `  ${one.type} ${one.status}${sum}`;
    }),
  ];
}
