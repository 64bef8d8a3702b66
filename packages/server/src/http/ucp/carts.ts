import { type JsonObject, totalEntries } from "@gatehouse/protocol";
import {
  type CartContent,
  type CartRef,
  cancelCart,
  createCart,
  type PricedCart,
  showCart,
  type UnavailableLines,
  updateCart,
} from "../../actions/checkout/carts.js";
import { continueUrl } from "../../actions/checkout/continue-url.js";
import { idempotentChange } from "../../actions/checkout/idempotent.js";
import { signedTerms } from "../../actions/checkout/terms.js";
import { quotedLines } from "../../actions/checkout/totals.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { errorAnswer, errorAnswers, type UcpAnswer, ucpMember, unlessEmpty } from "./answer.js";
import { platformOf } from "./caller.js";
import { claimWarnings } from "./claims.js";
import { buyerIn } from "./fields.js";
import { lineBodies, lineMessages, NO_CURRENCY, readLines } from "./lines.js";
import type { Operation, UcpCall } from "./operation.js";
import { cartQuoteMessages } from "./quote-messages.js";

export const CART = "dev.ucp.shopping.cart";

function cartRefOf({ site, caller, id }: UcpCall): CartRef {
  return { siteKeyHash: site.siteKeyHash, cartId: id, platform: platformOf(caller) };
}

const contentOf = ({ body }: UcpCall): CartContent => ({
  lines: readLines(body.line_items),
  ...buyerIn(body),
});

type Terms = Awaited<ReturnType<typeof signedTerms>>;

function cartBody(
  { cart, price: { priced, totals } }: PricedCart,
  terms: Terms,
  { notes, url }: { readonly notes: readonly JsonObject[]; readonly url: string | undefined },
): JsonObject {
  const { cartId: id, buyer, context, expiresAt } = cart;
  const messages = [...lineMessages(cart.lines, priced, "recoverable"), ...notes];
  return {
    ucp: ucpMember(CART),
    id,
    line_items: [...lineBodies(quotedLines(priced))],
    ...unlessEmpty("buyer", buyer),
    ...unlessEmpty("context", context),
    currency: priced.currency ?? NO_CURRENCY,
    totals: totalEntries(totals),
    ...(messages.length === 0 ? {} : { messages }),
    ...terms,
    expires_at: isoTime(expiresAt),
    ...(url === undefined ? {} : { continue_url: url }),
  };
}

const noCart = () => errorAnswer("not_found", "There is no such cart.");

async function cartAnswer(
  context: Context,
  db: Queries,
  call: UcpCall,
  cart: PricedCart | UnavailableLines,
  status = 200,
): Promise<UcpAnswer> {
  if (cart.kind === "unavailable") {
    return errorAnswers(lineMessages(cart.lines, cart.priced, "unrecoverable"));
  }
  const { pageId, cancelledAt } = cart.cart;
  const isOpen = pageId !== null && cancelledAt === null;
  const url = isOpen ? (await continueUrl(context, db, { ...cart.cart, pageId })).url : undefined;
  const quoteMessages = cartQuoteMessages(cart.price.quotedAt, context.clock.now());
  const shown = { notes: [...quoteMessages, ...claimWarnings(call.body)], url };
  return { status, body: cartBody(cart, await signedTerms(context, db, call), shown) };
}

async function showCartOf(context: Context, call: UcpCall): Promise<UcpAnswer> {
  const cart = await showCart(context, cartRefOf(call));
  return cart.ok ? cartAnswer(context, context.db, call, cart.value) : noCart();
}

/** An operation that changes a cart. A repeated call shows the cart as it is. */
function changeOperation(
  operation: Pick<Operation, "name" | "method" | "paths" | "begins" | "whileClosed" | "ends">,
  change: (context: Context, tx: Transaction, call: UcpCall) => Promise<UcpAnswer>,
): Operation {
  return {
    ...operation,
    kind: "change",
    capability: CART,
    show: showCartOf,
    run: (context, call, request) =>
      idempotentChange(context, request, (tx) => change(context, tx, call)),
  };
}

const create = changeOperation(
  { name: "create_cart", method: "POST", paths: ["/carts"], begins: true },
  async (context, tx, call) => {
    const requested = { platform: platformOf(call.caller), content: contentOf(call) };
    const cart = await createCart(context, tx, call.site.siteKeyHash, requested);
    return cartAnswer(context, tx, call, cart, 201);
  },
);

const get: Operation = {
  kind: "read",
  name: "get_cart",
  method: "GET",
  paths: ["/carts/:id"],
  capability: CART,
  whileClosed: true,
  run: showCartOf,
};

const update = changeOperation(
  { name: "update_cart", method: "PUT", paths: ["/carts/:id"] },
  async (context, tx, call) => {
    const cart = await updateCart(context, tx, cartRefOf(call), contentOf(call));
    return cart.ok ? cartAnswer(context, tx, call, cart.value) : noCart();
  },
);

const cancel = changeOperation(
  {
    name: "cancel_cart",
    method: "POST",
    paths: ["/carts/:id/cancel"],
    whileClosed: true,
    ends: true,
  },
  async (context, tx, call) => {
    const cart = await cancelCart(context, tx, cartRefOf(call));
    return cart.ok ? cartAnswer(context, tx, call, cart.value) : noCart();
  },
);

export const CART_OPERATIONS: readonly Operation[] = [create, get, update, cancel];
