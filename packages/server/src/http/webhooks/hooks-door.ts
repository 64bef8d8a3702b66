import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { takeStripeEvent } from "../../actions/payments/take-stripe-event.js";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/find.js";
import { approvalBody, approveOrder } from "../../purchase/approve-order.js";
import { expectsHook, type HookCall, openHook } from "../../purchase/stripe-hook.js";
import { readJsonBytes, UNREAD_REST } from "../server/body.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { Problem } from "../server/problem.js";

/** Stripe's largest events are a tenth of this. */
const HOOK_BYTES_MAX = 512 * 1024;
const RETRY_AFTER_S = "30";
/** What an agent's checkout asks before it is final. */
const FINALIZE = "v1.delegated_checkout.finalize_checkout";

type C = HonoContext<HttpEnv>;

const notSigned = (headers: Readonly<Record<string, string>>) =>
  new Problem("invalid_request", {
    message: "Refused: the call is not signed by Stripe for this site.",
    headers,
  });

/** A call of Stripe's for the site its path names, or the refusal of anything else. */
async function requireCall(
  context: Context,
  c: C,
  secretName: Parameters<typeof openHook>[2],
): Promise<HookCall> {
  const { admission, db } = context;
  const caller = c.get("caller");
  const waitMs = admission.takeCostly(caller);
  if (waitMs > 0) {
    const wait = String(Math.ceil(waitMs / 1000));
    throw new Problem("rate_limited", { headers: { "retry-after": wait, ...UNREAD_REST } });
  }
  const site = await findSite(db, c.req.param("site") ?? "", "hash");
  if (site === undefined) throw new Problem("not_found");
  const signature = c.req.header("stripe-signature");
  const expected = await expectsHook(context, site.siteKeyHash, secretName);
  if (signature === undefined || !expected) throw notSigned(UNREAD_REST);
  const bytes = await readJsonBytes(context, c.env.incoming, HOOK_BYTES_MAX);
  const call = await openHook(context, site.siteKeyHash, secretName, { bytes, signature });
  if (call.ok) {
    caller.provenAs = "proven";
    return call.value;
  }
  admission.failProof(caller);
  throw new Problem("invalid_request", { message: `Refused: ${call.detail}.` });
}

/** Where a site's own processor tells what has become of a payment, and asks about an order. */
export function hooksDoor(context: Context): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();

  routes.post("/v1/hooks/stripe/:site/events", async (c) => {
    const call = await requireCall(context, c, "webhook secret");
    try {
      await takeStripeEvent(context, call);
    } catch (error) {
      // Not followed: Stripe tells again, for three days.
      context.log.warn({ request_id: c.get("requestId"), error }, "hooks.event_not_followed");
      throw new Problem("unavailable", { headers: { "retry-after": RETRY_AFTER_S } });
    }
    return c.json({ received: true }, 200);
  });

  routes.post("/v1/hooks/stripe/:site/order-approval", async (c) => {
    const call = await requireCall(context, c, "approval secret");
    if (call.body.type !== FINALIZE) {
      throw new Problem("invalid_request", { message: `This address takes ${FINALIZE} only.` });
    }
    return c.json(approvalBody(await approveOrder(context, call)), 200);
  });

  return { name: "hooks", cors: "none", routes };
}
