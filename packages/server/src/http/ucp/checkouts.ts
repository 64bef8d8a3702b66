import {
  type JsonObject,
  paymentToken,
  type Result,
  readCompletion,
  UCP_CAPABILITIES,
} from "@gatehouse/protocol";
import { completeCheckout } from "../../actions/checkout/complete.js";
import { checkoutNamed } from "../../actions/checkout/price-checkout.js";
import {
  type Changed,
  type CheckoutPlace,
  cancelCheckout,
  createCheckout,
  type NoCheckout,
  ownCheckout,
  showCheckout,
  updateCheckout,
} from "../../actions/checkout/sessions.js";
import type { Context } from "../../context.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import type { Site } from "../../domain/sites/site.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import type { DeclineWait } from "../../purchase/payment-caller.js";
import { settlePayment } from "../../purchase/settle-payment.js";
import { errorAnswer, errorAnswers, type UcpBody } from "./answer.js";
import { checkoutBody } from "./checkout-body.js";
import type { CheckoutMessages } from "./checkout-messages.js";
import { peopleIn, platformOf, TEXT_CHARS_MAX } from "./content.js";
import { textIn } from "./fields.js";
import { readDelivery } from "./fulfillment.js";
import { lineMessages, readLines } from "./lines.js";
import type { Begun, Operation, UcpCall } from "./operation.js";
import { keepTermsOf, termsKept } from "./terms.js";

const CHECKOUT = "dev.ucp.shopping.checkout";
const FULFILLMENT = "dev.ucp.shopping.fulfillment";

const placeOf = ({ site, caller, id }: UcpCall): CheckoutPlace => ({
  siteKeyHash: site.siteKeyHash,
  checkoutId: id,
  platform: platformOf(caller),
});

const noCheckout = () => errorAnswer("not_found", "There is no such checkout.");

async function shown(
  context: Context,
  db: Queries,
  call: UcpCall,
  checkout: Checkout,
  {
    status = 200,
    ...told
  }: Pick<CheckoutMessages, "refusal" | "notice"> & { readonly status?: number } = {},
): Promise<UcpBody> {
  return { status, body: await checkoutBody(context, db, call, checkout, told) };
}

/** An answer to what was made or changed, or why nothing was. */
async function madeAnswer(
  context: Context,
  tx: Transaction,
  call: UcpCall,
  made: Result<Changed | NoCheckout, "not_found">,
  status = 200,
): Promise<UcpBody> {
  if (!made.ok) return noCheckout();
  if (!("checkout" in made.value)) {
    const { content, quote } = made.value;
    return errorAnswers(lineMessages(content.lines, quote, "unrecoverable"));
  }
  const { checkout, refusal } = made.value;
  await keepTermsOf(context, tx, call, checkout);
  const answer = await shown(context, tx, call, checkout, { refusal, status });
  return refusal === undefined ? answer : { ...answer, undone: true };
}

/** The same, with the records of it. */
async function begun(
  context: Context,
  tx: Transaction,
  call: UcpCall,
  made: Result<Changed, "not_found">,
): Promise<Begun> {
  const records = made.ok ? made.value.records : [];
  const { undone, ...answer } = await madeAnswer(context, tx, call, made);
  // A review may have ended all the same: then something was done, and is told again.
  return { records, answer: undone && records.length === 0 ? { ...answer, undone } : answer };
}

const look = async (context: Context, call: UcpCall): Promise<UcpBody> => {
  const found = await ownCheckout(context.db, placeOf(call));
  return found.ok ? shown(context, context.db, call, found.value) : noCheckout();
};

/** A checkout that a mandate pays for, as its platform sees it; undefined where there is none. */
export async function checkoutOfMandate(
  context: Context,
  site: Site,
  { args, requestId }: { readonly args: JsonObject; readonly requestId: string },
): Promise<JsonObject | undefined> {
  const { db, keys } = context;
  const named = readCompletion(args, site.processor);
  const checkout = await checkoutNamed(db, site.siteKeyHash, named);
  if (checkout === undefined) return undefined;
  const { url: profileUrl } = checkout.platform;
  const caller = {
    profileUrl,
    capabilities: UCP_CAPABILITIES,
    keyId: null,
    dated: false,
    webhookUrl: null,
    network: "",
  };
  const call = { site, caller, id: checkout.checkoutId, body: {}, requestId, source: "" };
  return checkoutBody(context, db, { ...call, signer: await keys.signer("card") }, checkout);
}

/** Nothing was stored for the idempotency key: the same request may be sent after the wait. */
function waiting(
  { metrics }: Context,
  { kind, retryAfterS, message: content }: DeclineWait,
): Begun {
  const body = { code: "rate_limited", content };
  const headers = { "retry-after": String(retryAfterS) };
  const after = () => metrics.counter("gatehouse_decline_refusals_total")({ kind });
  return { records: [], answer: { status: 429, body, headers, undone: true }, after };
}

async function complete(
  context: Context,
  tx: Transaction,
  call: UcpCall,
  token: string | undefined,
): Promise<Begun> {
  const { site, requestId, source } = call;
  const canShip = call.caller.capabilities.includes(FULFILLMENT);
  const asked = { ...placeOf(call), site, token, canShip, requestId, source };
  const completing = await completeCheckout(context, tx, asked);
  if (!completing.ok) {
    const shut = completing.reason === "shut";
    const answer = shut
      ? errorAnswer("capabilities_incompatible", completing.detail)
      : noCheckout();
    return { records: [], answer };
  }
  const { checkout, records, refusal, notice, payment, changed, wait } = completing.value;
  if (wait !== undefined) return waiting(context, wait);
  // What is signed into the answer is kept, whatever the shop says since.
  await keepTermsOf(context, tx, call, checkout);
  if (payment === undefined) {
    const answer = await shown(context, tx, call, checkout, { refusal, notice });
    // Only where nothing at all was written there is nothing to tell again: the same request must
    // not find that what it was shown, and has not seen, counts as shown.
    const kept = records.length > 0 || changed === true;
    return { records, answer: kept ? answer : { ...answer, undone: true } };
  }
  const settle = async (): Promise<UcpBody> => {
    await settlePayment(context, payment);
    const answer = await look(context, call);
    return answer.body.status === "complete_in_progress" ? { ...answer, unsettled: true } : answer;
  };
  return { records, answer: { settle } };
}

/** UCP's own path, and the name the contract gives the same thing. */
const ROOT = "/checkout-sessions";
const ROOTS = [ROOT, "/checkouts"];
const named = (root: string, tool: string) => (root === ROOT ? { tool } : {});

const operationsAt = (root: string): readonly Operation[] => [
  {
    ...named(root, "create_checkout"),
    method: "post",
    path: root,
    capability: CHECKOUT,
    look,
    async change(context, tx, call) {
      const { body, site, caller } = call;
      const cartId = textIn(body.cart_id, "cart_id", TEXT_CHARS_MAX);
      const { addresses, ...delivery } = readDelivery(body.fulfillment);
      const content = {
        lines: cartId === null ? readLines(body.line_items) : [],
        ...peopleIn(body),
        delivery: { ...delivery, addresses: addresses ?? [] },
      };
      const asked = { platform: platformOf(caller), content, cartId };
      const made = await createCheckout(context, tx, site.siteKeyHash, asked);
      return madeAnswer(context, tx, call, made, 201);
    },
  },
  {
    ...named(root, "get_checkout"),
    method: "get",
    path: `${root}/:id`,
    capability: CHECKOUT,
    whileShut: true,
    async read(context: Context, call: UcpCall) {
      const { db } = context;
      const found = await showCheckout(context, placeOf(call));
      if (!found.ok) return noCheckout();
      // Shown terms are agreed to by whoever pays next.
      const open = found.value.status === "open";
      if (open && !(await termsKept(context, db, call, found.value))) {
        await db.transaction((tx) => keepTermsOf(context, tx, call, found.value));
      }
      return shown(context, db, call, found.value);
    },
  },
  {
    ...named(root, "update_checkout"),
    method: "put",
    path: `${root}/:id`,
    capability: CHECKOUT,
    look,
    decide(context, call) {
      const { body } = call;
      const lines = readLines(body.line_items);
      const said = { lines, ...peopleIn(body), delivery: readDelivery(body.fulfillment) };
      return async (tx) =>
        begun(context, tx, call, await updateCheckout(context, tx, placeOf(call), said));
    },
  },
  {
    ...named(root, "complete_checkout"),
    method: "post",
    path: `${root}/:id/complete`,
    capability: CHECKOUT,
    look,
    signed: "unless_waived",
    ends: true,
    decide(context, call) {
      const token = paymentToken(call.body.payment, call.site.processor);
      return (tx) => complete(context, tx, call, token);
    },
  },
  {
    ...named(root, "cancel_checkout"),
    method: "post",
    path: `${root}/:id/cancel`,
    capability: CHECKOUT,
    whileShut: true,
    look,
    ends: true,
    decide: (context, call) => async (tx) =>
      begun(context, tx, call, await cancelCheckout(context, tx, placeOf(call))),
  },
];

export const CHECKOUT_OPERATIONS: readonly Operation[] = ROOTS.flatMap(operationsAt);
