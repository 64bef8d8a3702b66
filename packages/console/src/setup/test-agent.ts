import {
  discover,
  generateAgentKey,
  mandateFor,
  mandateText,
  openAgentKey,
  orderRequest,
  sendText,
  sign,
} from "@gatehouse/agent";
import {
  type Check,
  canonicalize,
  isJsonObject,
  type JsonObject,
  sha256,
  toHex,
  utf8,
  verifyAnswerReceipt,
} from "@gatehouse/protocol";
import { type Api, call } from "../api/client.js";
import type { Site } from "../layout/sites.js";
import { KEY_SETS, loadKeys } from "../proof/keys.js";
import type { KeptPurchase } from "./kept.js";

/** A test card of the sandbox and of Stripe. */
const TOKEN = "tok_visa";

/**
 * A real agent in the browser: it verifies the card and signs a mandate for the item that the service made for it. The
 * key is not stored.
 */
export async function prepare(site: Site, path: string): Promise<KeptPurchase> {
  // Fails in a browser that cannot sign, before anything is changed.
  await loadKeys(KEY_SETS.audit);
  const key = await openAgentKey(await generateAgentKey());
  const started = await call<Api["TestPurchase"]>("POST", `${path}/test-purchases`, {
    jwk: key.jwk,
  });
  const discovered = await discover(
    `${window.location.origin}/v1/agent-card/${site.site_key}.json`,
  );
  const items = [{ id: started.product_id, quantity: 1 }];
  const request = orderRequest(items, { cart: started.cart, handler: started.handler }, TOKEN);
  const mandate = await sign(mandateFor(discovered, started.agent_id, request), key);
  return {
    agentId: started.agent_id,
    mandate: mandateText(mandate),
    mandateUrl: discovered.mandateUrl,
  };
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
