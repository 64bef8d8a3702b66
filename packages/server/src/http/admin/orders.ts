import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import { notesOf } from "../../domain/orders/adjustments/store.js";
import { listOrders, orderById } from "../../domain/orders/store.js";
import { messagesAbout } from "../../domain/outbox/store.js";
import { hasRole, type Principal } from "../../domain/tokens/token.js";
import { type WholeOrder, wholeOrder } from "../../purchase/after-sale/whole-order.js";
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
import { answerPage } from "./paging.js";
import { purchaseOf } from "./purchase.js";
import { ActorId, NextCursor, PageQuery, SiteParams } from "./schemas.js";

export const ORDERS_PATH = "/v1/admin/sites/{site_key_hash}/orders";
const tags = ["Selling"];
/** Messages shown with an order; the list of messages has them all. */
const MESSAGES_MAX = 100;

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

/** An order as somebody may see it: who bought it, notes and messages are for owners. */
export async function shownOrder(
  { clock, config, db }: Context,
  principal: Principal,
  whole: WholeOrder,
): Promise<z.infer<typeof ShownOrderBody>> {
  const { orderId, siteKeyHash } = whole.order;
  const own = hasRole(principal, "owner");
  const notes = own ? await notesOf(db, orderId) : [];
  const messages = own ? await messagesAbout(db, siteKeyHash, orderId, MESSAGES_MAX) : [];
  const checkout = own ? whole.checkout : null;
  return {
    ...wholeBody(whole, clock.now(), { notes, messages }),
    page_url: checkout && pageUrl(config, checkout),
    purchase: checkout && purchaseOf(checkout),
  };
}

export function orderRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  const { clock, db } = context;
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const { agent_id: actorId, ...query } = c.req.valid("query");
    const answer = await answerPage(
      query,
      (page) => listOrders(db, site_key_hash, { ...query, actorId }, page),
      ({ createdAt, orderId }) => ({ createdAt, id: orderId }),
      (order) => orderBody(order, clock.now()),
    );
    return c.json(answer, 200);
  });

  app.openapi(show, async (c) => {
    const { site_key_hash, order_id } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const order = await orderById(db, site_key_hash, order_id);
    if (order === undefined) throw new Problem("not_found");
    const whole = await wholeOrder(db, order);
    return c.json(await shownOrder(context, c.get("principal"), whole), 200);
  });
}
