import { type JsonObject, totalEntries } from "@gatehouse/protocol";
import {
  type CartContent,
  type CartPlace,
  cancelCart,
  createCart,
  type NoCart,
  type ShownCart,
  showCart,
  updateCart,
} from "../../actions/checkout/carts.js";
import { quotedLines } from "../../actions/checkout/quote.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import type { Queries } from "../../infra/db/database.js";
import { errorAnswer, errorAnswers, type UcpBody, ucpMember } from "./answer.js";
import { given, peopleIn, platformOf } from "./content.js";
import { lineBodies, lineMessages, readLines } from "./lines.js";
import type { Operation, UcpCall } from "./operation.js";
import { termsOf } from "./terms.js";

const CART = "dev.ucp.shopping.cart";
function placeOf({ site, caller, id }: UcpCall): CartPlace {
  return { siteKeyHash: site.siteKeyHash, cartId: id, platform: platformOf(caller) };
}

function contentOf({ body }: UcpCall): CartContent {
  return {
    lines: readLines(body.line_items),
    ...peopleIn(body),
  };
}

type Terms = Awaited<ReturnType<typeof termsOf>>;

function cartBody({ cart, priced, totals }: ShownCart, terms: Terms): JsonObject {
  const { cartId: id, buyer, context, expiresAt } = cart;
  const messages = lineMessages(cart.lines, priced, "recoverable");
  return {
    ucp: ucpMember(CART),
    id,
    line_items: [...lineBodies(quotedLines(priced))],
    ...given("buyer", buyer),
    ...given("context", context),
    // A cart whose last line is gone has no currency of its own; ISO 4217 has a word for none.
    currency: priced.currency ?? "XXX",
    totals: totalEntries(totals),
    ...(messages.length === 0 ? {} : { messages: [...messages] }),
    ...terms,
    expires_at: isoTime(expiresAt),
  };
}

async function answerOf(
  context: Context,
  db: Queries,
  call: UcpCall,
  { made, status }: { readonly made: ShownCart | NoCart; readonly status: number },
): Promise<UcpBody> {
  if (!("cart" in made)) {
    return errorAnswers(lineMessages(made.wanted, made.priced, "unrecoverable"));
  }
  return { status, body: cartBody(made, await termsOf(context, db, call)) };
}

const noCart = () => errorAnswer("not_found", "There is no such cart.");

async function look(context: Context, call: UcpCall): Promise<UcpBody> {
  const shown = await showCart(context, context.db, placeOf(call));
  if (!shown.ok) return noCart();
  return answerOf(context, context.db, call, { made: shown.value, status: 200 });
}

export const CART_OPERATIONS: readonly Operation[] = [
  {
    method: "post",
    path: "/carts",
    capability: CART,
    tool: "create_cart",
    look,
    async change(context, tx, call) {
      const asked = { platform: platformOf(call.caller), content: contentOf(call) };
      const made = await createCart(context, tx, call.site.siteKeyHash, asked);
      return answerOf(context, tx, call, { made, status: 201 });
    },
  },
  {
    method: "get",
    path: "/carts/:id",
    capability: CART,
    tool: "get_cart",
    whileShut: true,
    read: look,
  },
  {
    method: "put",
    path: "/carts/:id",
    capability: CART,
    tool: "update_cart",
    look,
    async change(context, tx, call) {
      const updated = await updateCart(context, tx, placeOf(call), contentOf(call));
      if (!updated.ok) return noCart();
      return answerOf(context, tx, call, { made: updated.value, status: 200 });
    },
  },
  {
    method: "post",
    path: "/carts/:id/cancel",
    capability: CART,
    tool: "cancel_cart",
    look,
    whileShut: true,
    ends: true,
    async change(context, tx, call) {
      const cancelled = await cancelCart(context, tx, placeOf(call));
      if (!cancelled.ok) return noCart();
      return answerOf(context, tx, call, { made: cancelled.value, status: 200 });
    },
  },
];
