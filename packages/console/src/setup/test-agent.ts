import {
  discover,
  generateAgentKey,
  mandateFor,
  mandateText,
  openAgentKey,
  orderRequest,
  quoteOrder,
  sendText,
  sign,
} from "@gatehouse/agent";
import {
  type Check,
  canonicalize,
  formatAmount,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseAmount,
  sha256,
  toHex,
  utf8,
  verifyAnswerReceipt,
} from "@gatehouse/protocol";
import { type Api, call, OWN } from "../api/client.js";
import type { Site } from "../layout/sites.js";
import { KEY_SETS, loadKeys } from "../proof/keys.js";
import type { KeptPurchase } from "./kept.js";
import { offerTestItem, TEST_ITEM_ID, TEST_TAG } from "./test-item.js";

const PLACE_ORDER = "place_order";
/** A test card of the sandbox. */
const TOKEN = "tok_visa";

/** The first limit for a total in the rules. */
function limitIn(value: JsonValue | undefined): readonly [string, string] | undefined {
  if (Array.isArray(value)) {
    for (const one of value) {
      const found = limitIn(one);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const total = value["cart.total"];
  const limits = isJsonObject(total) ? (total.gt ?? total.lte) : undefined;
  const [first] = isJsonObject(limits) ? Object.entries(limits) : [];
  if (first !== undefined && typeof first[1] === "string") return [first[0], first[1]];
  return limitIn(Object.values(value));
}

/** Twice the limit, so that rules which review large purchases apply. */
function samplePrice(policy: JsonObject): { readonly price: string; readonly currency: string } {
  const [currency, limit] = limitIn(policy) ?? ["EUR", "5.00"];
  const read = parseAmount(limit, currency);
  if (!read.ok) return { price: "10.00", currency: "EUR" };
  return { price: formatAmount({ currency, minor: read.value.minor * 2 }), currency };
}

/** Adds the product that the test agent buys, or restores it. */
async function stockSample(path: string): Promise<void> {
  const { document } = await call<Api["Policy"]>("GET", `${path}/policy`);
  const product = {
    id: TEST_ITEM_ID,
    title: "Test item",
    description: "Only for the test purchase of the setup.",
    ...samplePrice(document as JsonObject),
    availability: "in_stock",
    quantity: 1,
  };
  const response = await fetch(`${path}/products/import`, {
    method: "POST",
    headers: { ...OWN, "content-type": "application/x-ndjson" },
    body: `${JSON.stringify(product)}\n`,
  });
  if (!response.ok)
    throw new Error("The test item could not be added to your products. Try again.");
  await offerTestItem(path, true);
}

/** Turns on what a purchase with a mandate needs. */
async function openShop(path: string): Promise<void> {
  const { skills, version } = await call<Api["Skills"]>("GET", `${path}/skills`);
  const known = skills.some(({ id }) => id === PLACE_ORDER);
  const listed = known ? skills : [...skills, { id: PLACE_ORDER, enabled: false }];
  // Keep the texts and the order of the owner.
  const offered = listed.map((one) => (one.id === PLACE_ORDER ? { ...one, enabled: true } : one));
  await call("PUT", `${path}/skills`, { skills: offered, version });
  await call("PATCH", `${path}/mandates`, { enabled: true });
}

/**
 * A real agent in the browser: it verifies the card, registers a key, asks the MCP server for the price and
 * signs a mandate. The key is not stored.
 */
export async function prepare(site: Site, path: string): Promise<KeptPurchase> {
  // Fails in a browser that cannot sign, before anything is changed.
  await loadKeys(KEY_SETS.audit);
  await openShop(path);
  await stockSample(path);
  const found = await discover(`${window.location.origin}/v1/agent-card/${site.site_key}.json`);
  const key = await openAgentKey(await generateAgentKey());
  const { agent_id: agentId } = await call<{ agent_id: string }>("POST", `${path}/agents`, {
    name: "Test agent",
    jwk: key.jwk,
    tags: [TEST_TAG],
    scopes: [`skill:${PLACE_ORDER}`],
  });
  const items = [{ id: TEST_ITEM_ID, quantity: 1 }];
  const request = orderRequest(items, await quoteOrder(found, items), TOKEN);
  const mandate = await sign(mandateFor(found, agentId, request), key);
  return { agentId, mandate: mandateText(mandate), mandateUrl: found.mandateUrl };
}

export interface Answered {
  readonly outcome: string;
  readonly body: JsonObject;
  /** The checks of the signed receipt. */
  readonly receipt: readonly Check[];
}

/** Whether the receipt belongs to this request and to this answer. */
async function answersThis({ receipt, ...body }: JsonObject, sent: string): Promise<Check> {
  const signed = isJsonObject(receipt) && isJsonObject(receipt.signed) ? receipt.signed : {};
  const ok =
    signed.request_sha256 === toHex(await sha256(utf8(sent))) &&
    isJsonObject(signed.answer) &&
    canonicalize(signed.answer) === canonicalize(body);
  const text = ok
    ? "the receipt is for this request and this answer"
    : "the receipt is for a different request or answer";
  return { id: "this", ok, text };
}

/** Sends the mandate. It is decided once; sent again, it returns the current result. */
export async function ask({ mandate, mandateUrl }: KeptPurchase): Promise<Answered> {
  const { body } = await sendText({ mandateUrl }, mandate, { receipt: true });
  const keys = await loadKeys(KEY_SETS.audit);
  const options = { findKey: async (kid: string) => keys.get(kid), now: Date.now() };
  const { checks } = await verifyAnswerReceipt(utf8(JSON.stringify(body)), options);
  const receipt = [...checks, await answersThis(body, mandate)];
  return { outcome: String(body.outcome ?? body.error ?? ""), body, receipt };
}
