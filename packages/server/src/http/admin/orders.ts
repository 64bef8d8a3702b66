import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { listOrders, type ShownOrder, showOrder } from "../../actions/orders/read-orders.js";
import type { Context } from "../../context.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import { Problem } from "../server/problem.js";
import { errors, json } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import {
  OrderBody,
  OrderStatus,
  orderBody,
  PaymentState,
  ShownOrderBody,
  wholeBody,
} from "./order-body.js";
import { purchaseOf } from "./purchase.js";
import { ActorId, NextCursor, PageQuery, pageBody, SiteParams } from "./schemas.js";

export const ORDERS_PATH = "/v1/admin/sites/{site_key_hash}/orders";
const tags = ["Selling"];

export const OrderParams = SiteParams.extend({
  order_id: z
    .string()
    .max(80)
    .openapi({ param: { name: "order_id", in: "path" } }),
});

const list = createRoute({
  method: "get",
  path: ORDERS_PATH,
  tags,
  summary: "List orders",
  description: "From every door, the newest first.",
  request: {
    params: SiteParams,
    query: PageQuery.extend({
      status: OrderStatus.optional(),
      payment: PaymentState.optional(),
      agent_id: ActorId.optional(),
    }),
  },
  responses: {
    200: json(z.object({ items: z.array(OrderBody), next_cursor: NextCursor }), "Orders."),
    ...errors("invalid_request", "not_found"),
  },
});

const show = createRoute({
  method: "get",
  path: `${ORDERS_PATH}/{order_id}`,
  tags,
  summary: "Show an order, and all that became of it",
  request: { params: OrderParams },
  responses: { 200: json(ShownOrderBody, "The order."), ...errors("not_found") },
});

export function renderOrder(
  { clock, config }: Context,
  shown: ShownOrder,
): z.infer<typeof ShownOrderBody> {
  const { checkout } = shown;
  return {
    ...wholeBody(shown, clock.now()),
    page_url: checkout && pageUrl(config, checkout),
    purchase: checkout && purchaseOf(checkout),
  };
}

export function orderRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const { agent_id: actorId, status, payment, ...query } = c.req.valid("query");
    const page = await listOrders(context, site_key_hash, { status, payment, actorId }, query);
    const now = context.clock.now();
    return c.json(
      pageBody(page, (order) => orderBody(order, now)),
      200,
    );
  });

  app.openapi(show, async (c) => {
    const { site_key_hash: siteKeyHash, order_id: orderId } = c.req.valid("param");
    await requireSite(context, c, siteKeyHash, "auditor");
    const shown = await showOrder(context, { siteKeyHash, orderId }, c.get("principal"));
    if (shown === undefined) throw new Problem("not_found");
    return c.json(renderOrder(context, shown), 200);
  });
}
