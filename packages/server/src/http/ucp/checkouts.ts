import type { Result } from "@gatehouse/protocol";
import { idempotentChange, idempotentCommit } from "../../actions/checkout/idempotent.js";
import { progressOf } from "../../actions/checkout/progress.js";
import {
  type Changed,
  type CheckoutRef,
  cancelCheckout,
  createCheckout,
  ownCheckout,
  showCheckout,
  updateCheckout,
} from "../../actions/checkout/sessions.js";
import { storeShownTerms } from "../../actions/checkout/terms.js";
import type { Context } from "../../context.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { errorAnswer, errorAnswers, type UcpAnswer } from "./answer.js";
import { platformOf } from "./caller.js";
import { CHECKOUT, checkoutBody } from "./checkout-body.js";
import { claimWarnings } from "./claims.js";
import { readCodes } from "./discounts.js";
import { buyerIn, TEXT_CHARS_MAX, textIn } from "./fields.js";
import { readDelivery } from "./fulfillment.js";
import { lineMessages, readLines } from "./lines.js";
import type { Operation, UcpCall } from "./operation.js";

/** UCP's path, and the path of the contract. */
export const checkoutPaths = (below: string) =>
  ["/checkout-sessions", "/checkouts"].map((root) => root + below);

export const refOf = ({ site, caller, id }: UcpCall): CheckoutRef => ({
  siteKeyHash: site.siteKeyHash,
  checkoutId: id,
  platform: platformOf(caller),
});

export const noCheckout = () => errorAnswer("not_found", "There is no such checkout.");

/** The checkout as it is stored. */
async function checkoutAnswer(
  context: Context,
  db: Queries,
  call: UcpCall,
  checkout: Checkout,
  { status = 200, refusal }: { status?: number; refusal?: Changed["refusal"] } = {},
): Promise<UcpAnswer> {
  const progress = await progressOf(db, checkout);
  const viewer = { ...call, capabilities: call.caller.capabilities };
  return {
    status,
    body: await checkoutBody(context, db, viewer, {
      checkout,
      progress,
      refusal,
      warnings: claimWarnings(call.body),
    }),
  };
}

/** Shows a checkout of the caller, without pricing it again. */
export async function showCheckoutOf(context: Context, call: UcpCall): Promise<UcpAnswer> {
  const { db } = context;
  const own = await ownCheckout(db, refOf(call));
  return own.ok ? checkoutAnswer(context, db, call, own.value) : noCheckout();
}

/** The records of a change, and its answer. */
async function changeAnswer(
  context: Context,
  tx: Transaction,
  call: UcpCall,
  change: Result<Changed, "not_found">,
) {
  if (!change.ok) return { records: [], value: noCheckout(), reply: noCheckout() };
  const { checkout, refusal, records } = change.value;
  await storeShownTerms(context, tx, call, checkout);
  const answer = await checkoutAnswer(context, tx, call, checkout, { refusal });
  // A refused change may have ended a review: then something was changed, and the reply is stored.
  const isUnchanged = refusal !== undefined && records.length === 0;
  const reply = isUnchanged ? { ...answer, unchanged: true as const } : answer;
  return { records, value: reply, reply };
}

const create: Operation = {
  kind: "change",
  name: "create_checkout",
  begins: true,
  method: "POST",
  paths: checkoutPaths(""),
  capability: CHECKOUT,
  show: showCheckoutOf,
  run: (context, call, request) =>
    idempotentChange(context, request, async (tx) => {
      const { body, site, caller } = call;
      const cartId = textIn(body.cart_id, "cart_id", TEXT_CHARS_MAX);
      const { addresses, ...delivery } = readDelivery(body.fulfillment);
      const content = {
        lines: cartId === null ? readLines(body.line_items) : [],
        ...buyerIn(body),
        delivery: { ...delivery, addresses: addresses ?? [] },
        codes: readCodes(body, caller.capabilities) ?? [],
      };
      const requested = { platform: platformOf(caller), content, cartId };
      const created = await createCheckout(context, tx, site.siteKeyHash, requested);
      if (!created.ok) return noCheckout();
      if (created.value.kind === "unavailable") {
        const { content, quote } = created.value;
        return errorAnswers(lineMessages(content.lines, quote, "unrecoverable"));
      }
      const { kind, checkout } = created.value;
      await storeShownTerms(context, tx, call, checkout);
      const status = kind === "created" ? 201 : 200;
      return checkoutAnswer(context, tx, call, checkout, { status });
    }),
};

const get: Operation = {
  kind: "read",
  name: "get_checkout",
  method: "GET",
  paths: checkoutPaths("/:id"),
  capability: CHECKOUT,
  whileClosed: true,
  async run(context, call) {
    const own = await showCheckout(context, refOf(call), call);
    return own.ok ? checkoutAnswer(context, context.db, call, own.value) : noCheckout();
  },
};

const update: Operation = {
  kind: "decision",
  name: "update_checkout",
  method: "PUT",
  paths: checkoutPaths("/:id"),
  capability: CHECKOUT,
  show: showCheckoutOf,
  async run(context, call, request) {
    const { body, caller } = call;
    const lines = readLines(body.line_items);
    const codes = readCodes(body, caller.capabilities);
    const content = { lines, ...buyerIn(body), delivery: readDelivery(body.fulfillment), codes };
    return idempotentCommit(context, request, async (tx) =>
      changeAnswer(context, tx, call, await updateCheckout(context, tx, refOf(call), content)),
    );
  },
};

const cancel: Operation = {
  kind: "decision",
  name: "cancel_checkout",
  method: "POST",
  paths: checkoutPaths("/:id/cancel"),
  capability: CHECKOUT,
  whileClosed: true,
  ends: true,
  show: showCheckoutOf,
  run: (context, call, request) =>
    idempotentCommit(context, request, async (tx) =>
      changeAnswer(context, tx, call, await cancelCheckout(context, tx, refOf(call))),
    ),
};

export const CHECKOUT_OPERATIONS: readonly Operation[] = [create, get, update, cancel];
