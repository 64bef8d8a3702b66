import { type JsonObject, totalEntries } from "@gatehouse/protocol";
import {
  type CartContent,
  type CartPlace,
  cancelCart,
  createCart,
  type PricedCart,
  showCart,
  type UnavailableLines,
  updateCart,
} from "../../actions/checkout/carts.js";
import { idempotentChange } from "../../actions/checkout/idempotent.js";
import { quotedLines } from "../../actions/checkout/quote.js";
import { signedTerms } from "../../actions/checkout/terms.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import type { Queries } from "../../infra/db/database.js";
import { errorAnswer, errorAnswers, type UcpAnswer, ucpMember, unlessEmpty } from "./answer.js";
import { platformOf } from "./caller.js";
import { buyerIn } from "./fields.js";
import { lineBodies, lineMessages, NO_CURRENCY, readLines } from "./lines.js";
import type { Operation, UcpCall } from "./operation.js";

export const CART = "dev.ucp.shopping.cart";

function placeOf({ site, caller, id }: UcpCall): CartPlace {
  return { siteKeyHash: site.siteKeyHash, cartId: id, platform: platformOf(caller) };
}

const contentOf = ({ body }: UcpCall): CartContent => ({
  lines: readLines(body.line_items),
  ...buyerIn(body),
});

type Terms = Awaited<ReturnType<typeof signedTerms>>;

function cartBody({ cart, priced, totals }: PricedCart, terms: Terms): JsonObject {
  const { cartId: id, buyer, context, expiresAt } = cart;
  const messages = lineMessages(cart.lines, priced, "recoverable");
  return {
    ucp: ucpMember(CART),
    id,
    line_items: [...lineBodies(quotedLines(priced))],
    ...unlessEmpty("buyer", buyer),
    ...unlessEmpty("context", context),
    currency: priced.currency ?? NO_CURRENCY,
    totals: totalEntries(totals),
    ...(messages.length === 0 ? {} : { messages: [...messages] }),
    ...terms,
    expires_at: isoTime(expiresAt),
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
  return { status, body: cartBody(cart, await signedTerms(context, db, call)) };
}

async function showCartOf(context: Context, call: UcpCall): Promise<UcpAnswer> {
  const cart = await showCart(context, context.db, placeOf(call));
  return cart.ok ? cartAnswer(context, context.db, call, cart.value) : noCart();
}

const create: Operation = {
  kind: "change",
  name: "create_cart",
  method: "POST",
  paths: ["/carts"],
  capability: CART,
  show: showCartOf,
  run: (context, call, request) =>
    idempotentChange(context, request, async (tx) => {
      const content = contentOf(call);
      const platform = platformOf(call.caller);
      const cart = await createCart(context, tx, call.site.siteKeyHash, { platform, content });
      return cartAnswer(context, tx, call, cart, 201);
    }),
};

const get: Operation = {
  kind: "read",
  name: "get_cart",
  method: "GET",
  paths: ["/carts/:id"],
  capability: CART,
  whileClosed: true,
  run: showCartOf,
};

const update: Operation = {
  kind: "change",
  name: "update_cart",
  method: "PUT",
  paths: ["/carts/:id"],
  capability: CART,
  show: showCartOf,
  run: (context, call, request) =>
    idempotentChange(context, request, async (tx) => {
      const cart = await updateCart(context, tx, placeOf(call), contentOf(call));
      return cart.ok ? cartAnswer(context, tx, call, cart.value) : noCart();
    }),
};

const cancel: Operation = {
  kind: "change",
  name: "cancel_cart",
  method: "POST",
  paths: ["/carts/:id/cancel"],
  capability: CART,
  whileClosed: true,
  ends: true,
  show: showCartOf,
  run: (context, call, request) =>
    idempotentChange(context, request, async (tx) => {
      const cart = await cancelCart(context, tx, placeOf(call));
      return cart.ok ? cartAnswer(context, tx, call, cart.value) : noCart();
    }),
};

export const CART_OPERATIONS: readonly Operation[] = [create, get, update, cancel];
