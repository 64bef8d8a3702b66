import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { changePayment } from "../../actions/orders/change-payment.js";
import { showOrder } from "../../actions/orders/read-orders.js";
import type { Context } from "../../context.js";
import type { ChangeKind } from "../../domain/payments/changes/change.js";
import { line } from "../server/fields.js";
import { requireFound } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { ShownOrderBody } from "./order-body.js";
import { OrderParams, renderOrder } from "./orders.js";

const REASON_CHARS_MAX = 200;

const changed = {
  tags: ["Selling"],
  params: OrderParams,
  answer: json(ShownOrderBody, "The order."),
  errors: ["conflict" as const],
};

const Revision = z.int().min(0).openapi({
  description:
    "The revision of the order that you saw. If the order has changed since, nothing happens. This makes it safe to repeat the request.",
});

const UNKNOWN =
  "If the payment provider does not answer, the order lists the change as `unknown` until its outcome is known.";

const capture = siteRoute("post", "/orders/{order_id}/capture", {
  ...changed,
  summary: "Capture the payment of an order",
  description: `A payment is captured once. The rest of the authorization is voided. ${UNKNOWN}`,
  body: strict({
    amount_minor: z.int().min(1).optional().openapi({
      description: "The default is what the buyer owes, without cancelled items.",
    }),
    revision: Revision,
  }),
});

const refund = siteRoute("post", "/orders/{order_id}/refund", {
  ...changed,
  summary: "Refund the payment of an order",
  description: `Refunds a captured payment, in full or in part. ${UNKNOWN}`,
  body: strict({
    amount_minor: z
      .int()
      .min(1)
      .optional()
      .openapi({ description: "The default is all that is left." }),
    reason: line(REASON_CHARS_MAX).optional().openapi({ description: "A message to the buyer." }),
    revision: Revision,
  }),
});

interface ChangeBody {
  readonly amount_minor?: number | undefined;
  readonly reason?: string | undefined;
  readonly revision: number;
}

export function orderPaymentRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  type Change = Parameters<typeof changePayment>;
  const run = async (order: Change[1], kind: ChangeKind, sent: ChangeBody, actor: Change[3]) => {
    const { amount_minor: amountMinor = null, reason = null, revision } = sent;
    requireOk(await changePayment(context, order, { kind, amountMinor, reason, revision }, actor));
  };

  app.openapi(capture, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const order = { siteKeyHash, orderId: c.req.valid("param").order_id };
    await run(order, "capture", c.req.valid("json"), actorOf(c));
    const shown = requireFound(await showOrder(context, order, c.get("principal")));
    return c.json(renderOrder(context, shown), 200);
  });

  app.openapi(refund, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const order = { siteKeyHash, orderId: c.req.valid("param").order_id };
    await run(order, "refund", c.req.valid("json"), actorOf(c));
    const shown = requireFound(await showOrder(context, order, c.get("principal")));
    return c.json(renderOrder(context, shown), 200);
  });
}
