import { COMPLETE_CHECKOUT, paymentToken } from "@gatehouse/protocol";
import { completeCheckout } from "../../actions/checkout/complete.js";
import type { DeclineWait } from "../../domain/declines/caller.js";
import { errorAnswer, type UcpAnswer } from "./answer.js";
import { CHECKOUT, checkoutBody, FULFILLMENT } from "./checkout-body.js";
import { checkoutPaths, noCheckout, refOf, showCheckoutOf } from "./checkouts.js";
import type { Operation } from "./operation.js";

/** Nothing is stored for the idempotency key: the same request may be sent after the wait. */
function waitAnswer({ retryAfterS, message: content }: DeclineWait): UcpAnswer {
  const headers = { "retry-after": String(retryAfterS) };
  return { status: 429, body: { code: "rate_limited", content }, headers };
}

/** `POST /v1/ucp/{site_key_hash}/checkout-sessions/{id}/complete`: pays for a checkout. */
export const completeOperation: Operation = {
  kind: "decision",
  name: COMPLETE_CHECKOUT,
  method: "POST",
  paths: checkoutPaths("/:id/complete"),
  capability: CHECKOUT,
  proof: "unless_waived",
  ends: true,
  show: showCheckoutOf,
  async run(context, call, request) {
    const { site, signer, requestId, client } = call;
    const { capabilities } = call.caller;
    const completion = {
      ...refOf(call),
      site,
      signer,
      token: paymentToken(call.body.payment, site.provider),
      canShip: capabilities.includes(FULFILLMENT),
      requestId,
      source: client.networks[0],
    };
    return completeCheckout(context, request, completion, async (db, completed) => {
      if (!completed.ok) {
        const isShut = completed.reason === "shut";
        return isShut ? errorAnswer("capabilities_incompatible", completed.detail) : noCheckout();
      }
      const { wait, ...shown } = completed.value;
      if (wait !== undefined) return waitAnswer(wait);
      const viewer = { site, signer, capabilities };
      return { status: 200, body: await checkoutBody(context, db, viewer, shown) };
    });
  },
};
