import { type JsonObject, lineIdAt, totalEntries, type UcpCapability } from "@gatehouse/protocol";
import { isEntered } from "../../actions/checkout/buyer-entries.js";
import { continueUrl } from "../../actions/checkout/continue-url.js";
import { signedTerms, type TermsSigner } from "../../actions/checkout/terms.js";
import { labelOfOrder } from "../../actions/orders/read-orders.js";
import type { Context } from "../../context.js";
import { type Checkout, isHandedOff, isReady, pageUrl } from "../../domain/checkouts/checkout.js";
import { isProven } from "../../domain/checkouts/platform.js";
import { handlersOf } from "../../domain/sites/gates.js";
import { isoTime } from "../../infra/clock.js";
import type { Queries } from "../../infra/db/database.js";
import { ucpMember, unlessEmpty } from "./answer.js";
import { type CheckoutMessages, checkoutMessages } from "./checkout-messages.js";
import { codesToEnter, codeWarnings, DISCOUNT, discountsBody } from "./discounts.js";
import { fulfillmentBody } from "./fulfillment.js";
import { lineBodies, NO_CURRENCY } from "./lines.js";
import { keptQuoteMessages } from "./quote-messages.js";

export const CHECKOUT = "dev.ucp.shopping.checkout";
export const FULFILLMENT = "dev.ucp.shopping.fulfillment";

/** The status of a checkout, in UCP's words. */
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

/** Who a checkout is shown to. */
export interface CheckoutViewer extends TermsSigner {
  readonly capabilities: readonly UcpCapability[];
}

export interface ShownCheckout extends Omit<CheckoutMessages, "canShip"> {
  readonly checkout: Checkout;
  /** What the request said that has no effect. */
  readonly warnings?: readonly JsonObject[];
}

/** Anybody who names a platform that proved nothing can read its checkouts, but not what a person entered on the page. */
function shownContent(checkout: Checkout): Checkout["content"] {
  const { content, platform } = checkout;
  if (isProven(platform) || !isEntered(checkout)) return content;
  const { language = "en" } = content.context;
  const delivery = { ...content.delivery, addresses: [], addressId: null };
  return { ...content, buyer: {}, context: { language }, delivery };
}

/** Where the buyer goes on: what has begun here ends here. */
async function nextStep(context: Context, db: Queries, checkout: Checkout) {
  if (checkout.status !== "open")
    return { url: pageUrl(context.config, checkout), codesToEnter: [] };
  const { lines, codes: sent = [] } = checkout.content;
  const { rejectedCodes = [] } = checkout.quote;
  const codes = sent.filter((code) => !rejectedCodes.includes(code));
  return continueUrl(context, db, { ...checkout, lines, codes });
}

/** The order that came of a checkout. Its number is left out if its row is gone. */
async function confirmation(
  db: Queries,
  { siteKeyHash }: Checkout,
  orderId: string,
  permalink_url: string,
): Promise<JsonObject> {
  const label = await labelOfOrder(db, { siteKeyHash, orderId });
  return { id: orderId, ...(label === undefined ? {} : { label }), permalink_url };
}

/** What a platform should know of an open checkout, and what does not keep it from buying. */
function openNotes(
  { content: { codes = [] }, quote }: Checkout,
  canDiscount: boolean,
  now: number,
): readonly JsonObject[] {
  const warnings = canDiscount ? codeWarnings(codes, quote) : [];
  return [...keptQuoteMessages(quote.quotedAt, now), ...warnings];
}

/** A checkout as its platform sees it. */
export async function checkoutBody(
  context: Context,
  db: Queries,
  { site, signer, capabilities }: CheckoutViewer,
  { checkout, warnings = [], ...shown }: ShownCheckout,
): Promise<JsonObject> {
  const { checkoutId: id, quote, orderId } = checkout;
  const content = shownContent(checkout);
  const canShip = capabilities.includes(FULFILLMENT);
  const state = { ...shown, canShip };
  const now = context.clock.now();
  const status = statusOf(checkout, state, now);
  const isOpen = checkout.status === "open" && status !== "canceled";
  const discounts = discountsBody(checkout, capabilities);
  const notes = isOpen ? openNotes(checkout, discounts !== undefined, now) : [];
  const isOver = status === "completed" || status === "canceled";
  const next = isOver ? undefined : await nextStep(context, db, checkout);
  const enter = codesToEnter(discounts === undefined ? [] : (next?.codesToEnter ?? []));
  const messages = [...checkoutMessages(checkout, state), ...notes, ...enter, ...warnings];
  const url = pageUrl(context.config, checkout);
  const lineIds = quote.lines.flatMap((line, i) => (typeof line === "string" ? [] : [lineIdAt(i)]));
  const ucp = ucpMember(
    CHECKOUT,
    ...(canShip ? ([FULFILLMENT] as const) : []),
    ...(discounts === undefined ? [] : ([DISCOUNT] as const)),
  );
  return {
    ucp: { ...ucp, payment_handlers: handlersOf(site) ?? {} },
    id,
    status,
    line_items: [...lineBodies(quote)],
    ...unlessEmpty("buyer", content.buyer),
    ...unlessEmpty("context", content.context),
    currency: quote.currency ?? NO_CURRENCY,
    totals: totalEntries(quote.totals),
    ...(discounts === undefined ? {} : { discounts }),
    ...(canShip && quote.ships
      ? { fulfillment: fulfillmentBody({ ...checkout, content }, lineIds) }
      : {}),
    ...(messages.length === 0 ? {} : { messages }),
    ...(await signedTerms(context, db, { site, signer })),
    expires_at: isoTime(checkout.expiresAt),
    ...(next === undefined ? {} : { continue_url: next.url }),
    ...(orderId === null ? {} : { order: await confirmation(db, checkout, orderId, url) }),
  };
}
