import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  type ListedOrder,
  listOrders,
  type ShownOrder,
  showOrder,
} from "../../actions/orders/read-orders.js";
import type { Context } from "../../context.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import { ORDER_SORTS } from "../../domain/orders/order.js";
import { requireFound } from "../server/problem.js";
import { json } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { idParam, pageOf, siteRoute } from "./describe.js";
import {
  ListedOrderBody,
  listedBody,
  OrderStatus,
  PaymentState,
  ShownOrderBody,
  wholeBody,
} from "./order-body.js";
import { purchaseOf } from "./purchase.js";
import { ActorId, PageQuery, pageBody, SiteParams } from "./schemas.js";

export const OrderParams = SiteParams.extend({ order_id: idParam("order_id") });

const NUMBER_MAX = 999_999_999;

const OrderNumber = z.coerce.number().int().min(1).max(NUMBER_MAX).openapi({
  description: "The number of an order, without `#`.",
  example: 1042,
});

const list = siteRoute("get", "/orders", {
  tags: ["Selling"],
  summary: "List orders",
  description: "Orders from all protocols, newest first unless sorted otherwise.",
  query: PageQuery.extend({
    status: OrderStatus.optional(),
    payment: PaymentState.optional(),
    agent_id: ActorId.optional(),
    number: OrderNumber.optional(),
    sort: z.enum(ORDER_SORTS).default("-created_at").openapi({
      description: "A minus sorts the newest or largest first. Keep it the same for all pages.",
    }),
  }),
  answer: pageOf(ListedOrderBody, "The orders."),
});

const show = siteRoute("get", "/orders/{order_id}", {
  tags: ["Selling"],
  summary: "Show an order and its history",
  params: OrderParams,
  answer: json(ShownOrderBody, "The order."),
});

const renderAt = (now: number) => (order: ListedOrder) => listedBody(order, now);

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
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { agent_id: actorId, status, payment, number, sort, ...query } = c.req.valid("query");
    const filter = { status, payment, actorId, number, sort };
    const page = await listOrders(context, siteKeyHash, filter, query);
    return c.json(pageBody(page, renderAt(context.clock.now())), 200);
  });

  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { order_id: orderId } = c.req.valid("param");
    const shown = await showOrder(context, { siteKeyHash, orderId }, c.get("principal"));
    return c.json(renderOrder(context, requireFound(shown)), 200);
  });
}
