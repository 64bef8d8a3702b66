import { isJsonObject, type JsonObject } from "@gatehouse/protocol";
import type { DiscoveredSite } from "./discover.js";
import { AgentError, postJson, refusalIn } from "./http.js";
import type { MandateRequest, SignedMandate } from "./mandate.js";

type Site = Pick<DiscoveredSite, "mcpUrl">;

/** What to buy: products by their id. */
export interface OrderItem {
  readonly id: string;
  readonly quantity: number;
}

/** Calls a tool of the site's MCP server; its structured result. */
export async function callTool(
  { mcpUrl }: Site,
  name: string,
  args: JsonObject,
): Promise<JsonObject> {
  const params = { name, arguments: args };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const { status, body } = await postJson(mcpUrl, call, {
    accept: "application/json, text/event-stream",
  });
  const { result, error } = body;
  if (isJsonObject(result) && isJsonObject(result.structuredContent)) {
    return result.structuredContent;
  }
  const { message, data } = isJsonObject(error) ? error : {};
  const why = typeof message === "string" && message !== "" ? message : "no result";
  const refused = isJsonObject(data) ? refusalIn({ ...data, reason: data.error ?? null }) : {};
  throw new AgentError(`${name} could not be called (${status}): ${why}`, refused);
}

/** How a call without a mandate is told what stands in the way, after all that it would need. */
const IN_THE_WAY = "it would be refused: ";

/** Why there is no price, the cause alone where there is one. */
function noPrice(reply: JsonObject): AgentError {
  const message = typeof reply.message === "string" ? reply.message : "the site does not say why";
  const at = message.indexOf(IN_THE_WAY);
  const cause = at === -1 ? message : message.slice(at + IN_THE_WAY.length);
  return new AgentError(`the site gave no price: ${cause}`, refusalIn(reply));
}

/** Asks what an order costs, and by whom it is paid. Nothing is bought. */
export async function quoteOrder(
  site: Site,
  items: readonly OrderItem[],
): Promise<Pick<MandateRequest, "cart"> & { readonly handler: string }> {
  const args = { items: items.map(({ id, quantity }) => ({ id, quantity })) };
  const reply = await callTool(site, "place_order", args);
  const { protocol_context: context, payment } = isJsonObject(reply.sign) ? reply.sign : {};
  const { cart_total: total, cart_currency: currency } = isJsonObject(context) ? context : {};
  const handler = isJsonObject(payment) ? payment.handler : undefined;
  if (typeof total !== "string" || typeof currency !== "string" || typeof handler !== "string") {
    throw noPrice(reply);
  }
  return { cart: { total, currency }, handler };
}

/** The request of a mandate that buys. */
export function orderRequest(
  items: readonly OrderItem[],
  { cart, handler }: Awaited<ReturnType<typeof quoteOrder>>,
  token: string,
): MandateRequest {
  const args = { items: items.map(({ id, quantity }) => ({ id, quantity })) };
  return { skill: "place_order", arguments: args, cart, payment: { handler, token } };
}

/** Buys through the site's MCP server: the same decision and the same body as at its endpoint. */
export function placeOrder(site: Site, mandate: SignedMandate): Promise<JsonObject> {
  const args = isJsonObject(mandate.signed.arguments) ? mandate.signed.arguments : {};
  return callTool(site, "place_order", { ...args, mandate });
}
