import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { checkoutById } from "../../owners/checkouts/store.js";
import type { Order } from "../../owners/orders/order.js";
import { listOrders, orderById } from "../../owners/orders/store.js";
import { hasRole } from "../../owners/tokens/token.js";
import { isoTime } from "../../platform/clock.js";
import { Problem } from "../../platform/http/problem.js";
import { type AdminEnv, requireSite } from "./access.js";
import { answerPage } from "./paging.js";
import { Purchase, purchaseOf } from "./purchase.js";
import { errors, json, NextCursor, PageQuery, SiteParams, Timestamp } from "./schemas.js";

const PATH = "/v1/admin/sites/{site_key_hash}/orders";
const tags = ["Selling"];

const OrderBody = z
  .object({
    order_id: z.string(),
    agent_id: z.string().openapi({ description: "Who ordered." }),
    skill: z.string(),
    protocol: z.string(),
    mandate_id: z.string().nullable(),
    checkout_id: z.string().nullable().openapi({ description: "The checkout it came of." }),
    decision_id: z.string(),
    attempt_id: z.string().openapi({ description: "Names the payment at the processor." }),
    items: z.array(
      z.object({ id: z.string(), title: z.string(), quantity: z.int(), unit_minor: z.int() }),
    ),
    amount: z.object({ minor: z.int(), currency: z.string() }),
    payment: z
      .enum(["authorized", "captured", "released", "lapsed"])
      .openapi({ description: "Held ready, taken by you, given up, or not taken in time." }),
    lapses_at: Timestamp.nullable().openapi({
      description: "Take the money at your processor before this; null where nobody knows.",
    }),
    captured_minor: z.int().nullable(),
    created_at: Timestamp,
  })
  .openapi("Order");

const ShownOrderBody = OrderBody.extend({
  purchase: Purchase.nullable().openapi({ description: "Of a checkout, and for owners only." }),
}).openapi("ShownOrder");

const list = createRoute({
  ...{ method: "get", path: PATH, tags },
  summary: "List orders",
  description: "From every door, the newest first.",
  request: { params: SiteParams, query: PageQuery },
  responses: {
    200: json(z.object({ items: z.array(OrderBody), next_cursor: NextCursor }), "Orders."),
    ...errors("invalid_request", "not_found"),
  },
});

const show = createRoute({
  ...{ method: "get", path: `${PATH}/{order_id}`, tags },
  summary: "Show an order",
  request: {
    params: SiteParams.extend({
      order_id: z
        .string()
        .max(80)
        .openapi({ param: { name: "order_id", in: "path" } }),
    }),
  },
  responses: { 200: json(ShownOrderBody, "The order."), ...errors("not_found") },
});

function render(order: Order): z.infer<typeof OrderBody> {
  return {
    order_id: order.orderId,
    agent_id: order.actorId,
    skill: order.skill,
    protocol: order.protocol,
    mandate_id: order.mandateId,
    checkout_id: order.checkoutId,
    decision_id: order.decisionId,
    attempt_id: order.attemptId,
    items: order.items.map((item) => ({ ...item })),
    amount: { minor: order.amount.minor, currency: order.amount.currency },
    payment: order.payment,
    lapses_at: order.lapsesAt === null ? null : isoTime(order.lapsesAt),
    captured_minor: order.capturedMinor,
    created_at: isoTime(order.createdAt),
  };
}

export function orderRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const answer = await answerPage(
      c.req.valid("query"),
      (page) => listOrders(context.db, site_key_hash, page),
      ({ createdAt, orderId }) => ({ createdAt, id: orderId }),
      render,
    );
    return c.json(answer, 200);
  });

  app.openapi(show, async (c) => {
    const { site_key_hash, order_id } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const order = await orderById(context.db, site_key_hash, order_id);
    if (order === undefined) throw new Problem("not_found");
    const { checkoutId } = order;
    const shown = checkoutId !== null && hasRole(c.get("principal"), "owner");
    const checkout = shown ? await checkoutById(context.db, site_key_hash, checkoutId) : undefined;
    const purchase = checkout === undefined ? null : purchaseOf(checkout);
    return c.json({ ...render(order), purchase }, 200);
  });
}
