import { approvalBody, approveOrder } from "../../actions/payments/approve-order.js";
import {
  expectsWebhook,
  handleStripeEvent,
  openWebhook,
  type WebhookCall,
} from "../../actions/payments/stripe-webhook.js";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/live-sites.js";
import { UNREAD_REST } from "../server/body.js";
import { type Exchange, type Handler, json } from "../server/exchange.js";
import { readJsonBytes } from "../server/json-body.js";
import { Problem, requireFound, requireNoWait } from "../server/problem.js";

/** Stripe's largest events are a tenth of this. */
const HOOK_BYTES_MAX = 512 * 1024;
/** For an event that could not be followed. Stripe sends it again for three days. */
const EVENT_RETRY_AFTER_S = "30";
/** The call with which Stripe asks for approval of an agent's checkout. */
const FINALIZE = "v1.delegated_checkout.finalize_checkout";

/** A call of Stripe for the site that the path names, or the refusal of anything else. */
async function requireCall(
  context: Context,
  exchange: Exchange,
  secretName: Parameters<typeof openWebhook>[2],
): Promise<WebhookCall> {
  const { admission, db } = context;
  const { caller, request } = exchange;
  requireNoWait(admission.takeCostly(caller), UNREAD_REST);
  const { siteKeyHash } = requireFound(await findSite(db, exchange.param("site"), "hash"));
  const signature = exchange.header("stripe-signature");
  const isExpected = await expectsWebhook(context, siteKeyHash, secretName);
  if (signature === undefined || !isExpected) {
    throw new Problem("invalid_request", {
      message: "The call was refused: it is not signed by Stripe for this site.",
      headers: UNREAD_REST,
    });
  }
  const bytes = await readJsonBytes(context, request, HOOK_BYTES_MAX);
  const call = await openWebhook(context, siteKeyHash, secretName, { bytes, signature });
  if (call.ok) {
    caller.provenAs = "proven";
    return call.value;
  }
  admission.failProof(caller);
  throw new Problem("invalid_request", { message: `The call was refused: ${call.detail}.` });
}

/** The addresses to which a site's own Stripe account sends events and requests for approval. */
export function stripeHandlers(
  context: Context,
): Readonly<Record<"events" | "orderApproval", Handler>> {
  return {
    events: async (exchange) => {
      const call = await requireCall(context, exchange, "webhook secret");
      try {
        await handleStripeEvent(context, call);
      } catch (error) {
        const { requestId } = exchange;
        context.log.warn({ request_id: requestId, error }, "hooks.event_not_followed");
        throw new Problem("unavailable", { headers: { "retry-after": EVENT_RETRY_AFTER_S } });
      }
      return json(200, { received: true });
    },

    orderApproval: async (exchange) => {
      const call = await requireCall(context, exchange, "approval secret");
      if (call.body.type !== FINALIZE) {
        throw new Problem("invalid_request", { message: `This address accepts only ${FINALIZE}.` });
      }
      return json(200, approvalBody(await approveOrder(context, call)));
    },
  };
}
