import { type JsonObject, lineIdAt, totalEntries } from "@gatehouse/protocol";
import { progressOf } from "../../actions/checkout/progress.js";
import type { Context } from "../../context.js";
import { type Checkout, isHandedOff, isReady, pageUrl } from "../../domain/checkouts/checkout.js";
import { handlersOf } from "../../domain/sites/gates.js";
import { isoTime } from "../../infra/clock.js";
import type { Queries } from "../../infra/db/database.js";
import { ucpMember } from "./answer.js";
import { type CheckoutMessages, checkoutMessages } from "./checkout-messages.js";
import { given } from "./content.js";
import { fulfillmentBody } from "./fulfillment.js";
import { lineBodies } from "./lines.js";
import type { UcpCall } from "./operation.js";
import { termsOf } from "./terms.js";

const CHECKOUT = "dev.ucp.shopping.checkout";
const FULFILLMENT = "dev.ucp.shopping.fulfillment";

/** How far it is, in UCP's words. */
function statusOf(
  checkout: Checkout,
  { progress, canShip }: CheckoutMessages,
  now: number,
): string {
  const { status, quote, problem, expiresAt } = checkout;
  if (status === "completed") return "completed";
  if (status === "completing") {
    return progress?.kind === "paying" ? "complete_in_progress" : "requires_escalation";
  }
  if (status === "cancelled" || now >= expiresAt) return "canceled";
  const ready = isReady(quote) && problem?.final !== true && (canShip || !quote.ships);
  if (ready && isHandedOff(checkout)) return "requires_escalation";
  return ready ? "ready_for_complete" : "incomplete";
}

/** A checkout as its platform sees it. */
export async function checkoutBody(
  context: Context,
  db: Queries,
  { site, caller, ...call }: UcpCall,
  checkout: Checkout,
  extra: Pick<CheckoutMessages, "refusal" | "notice"> = {},
): Promise<JsonObject> {
  const { checkoutId: id, content, quote, orderId } = checkout;
  const canShip = caller.capabilities.includes(FULFILLMENT);
  const told = { ...extra, canShip, progress: await progressOf(db, checkout) };
  const status = statusOf(checkout, told, context.clock.now());
  const messages = checkoutMessages(checkout, told);
  const url = pageUrl(context.config, checkout);
  const over = status === "completed" || status === "canceled";
  const lineIds = quote.lines.flatMap((line, i) => (typeof line === "string" ? [] : [lineIdAt(i)]));
  const ucp = canShip ? ucpMember(CHECKOUT, FULFILLMENT) : ucpMember(CHECKOUT);
  return {
    ucp: { ...ucp, payment_handlers: handlersOf(site) ?? {} },
    id,
    status,
    line_items: [...lineBodies(quote)],
    ...given("buyer", content.buyer),
    ...given("context", content.context),
    currency: quote.currency ?? "XXX",
    totals: totalEntries(quote.totals),
    ...(canShip && quote.ships ? { fulfillment: fulfillmentBody(checkout, lineIds) } : {}),
    ...(messages.length === 0 ? {} : { messages: [...messages] }),
    ...(await termsOf(context, db, { site, caller, ...call })),
    expires_at: isoTime(checkout.expiresAt),
    ...(over ? {} : { continue_url: url }),
    ...(orderId === null ? {} : { order: { id: orderId, permalink_url: url } }),
  };
}
