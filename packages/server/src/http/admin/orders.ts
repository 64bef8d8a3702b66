import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  type ListedOrder,
  listOrders,
  type ShownOrder,
  showOrder,
} from "../../actions/orders/read-orders.js";
import { searchOrders } from "../../actions/orders/search-orders.js";
import { PAGE_ITEMS, PAGE_ITEMS_MAX } from "../../actions/page.js";
import type { Context } from "../../context.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import { ORDER_SORTS, ORDER_STATUSES, REFUND_STATES } from "../../domain/orders/order.js";
import { line } from "../server/fields.js";
import { requireFound } from "../server/problem.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireSite } from "./access.js";
import { idParam, pageOf, siteRoute } from "./describe.js";
import {
  ListedOrderBody,
  listedBody,
  PaymentState,
  ShownOrderBody,
  wholeBody,
} from "./order-body.js";
import { purchaseOf } from "./purchase.js";
import { ActorId, PageQuery, pageBody, SiteParams, spanOf } from "./schemas.js";

export const OrderParams = SiteParams.extend({ order_id: idParam("order_id") });

const NUMBER_MAX = 999_999_999;
/** As long as an email address can be. */
const BUYER_CHARS_MAX = 254;

const OrderNumber = z.coerce.number().int().min(1).max(NUMBER_MAX).openapi({
  description: "The number of an order, without `#`.",
  example: 1042,
});

const Sort = z.enum(ORDER_SORTS).default("-created_at").openapi({
  description: "A minus sorts the newest or largest first. Keep it the same for all pages.",
});

/** What limits a list of orders, whether it stands in a query or in a body. */
const FILTER = {
  status: z
    .enum([...ORDER_STATUSES, ...REFUND_STATES])
    .optional()
    .openapi({
      description:
        "The state of the shipment, or `refunded` or `partly_refunded` for orders whose money went back.",
    }),
  payment: PaymentState.optional(),
  agent_id: ActorId.optional(),
  from: Timestamp.optional().openapi({ description: "Only orders placed then or later." }),
  to: Timestamp.optional().openapi({ description: "Only orders placed before." }),
  sort: Sort,
};

const list = siteRoute("get", "/orders", {
  tags: ["Selling"],
  summary: "List orders",
  description: "Orders from all protocols, newest first unless sorted otherwise.",
  query: PageQuery.extend({ ...FILTER, number: OrderNumber.optional() }),
  answer: pageOf(ListedOrderBody, "The orders."),
});

/** A name or an address stands in the body and never in a URL, because URLs are logged. */
const SearchBody = strict({
  buyer: line(BUYER_CHARS_MAX).openapi({
    description:
      "The email address of the buyer, or whole words of the name of the buyer or the recipient. Case and accents " +
      "are ignored. Buyers who were erased are not found.",
    example: "ann@example.com",
  }),
  ...FILTER,
  limit: z.int().min(1).max(PAGE_ITEMS_MAX).default(PAGE_ITEMS),
  cursor: PageQuery.shape.cursor,
}).openapi("OrderSearch");

const search = siteRoute("post", "/orders/search", {
  tags: ["Selling"],
  summary: "Find the orders of a buyer",
  description: "Needs the role owner, because only owners see who bought.",
  body: SearchBody,
  answer: pageOf(ListedOrderBody, "The orders."),
});

const show = siteRoute("get", "/orders/{order_id}", {
  tags: ["Selling"],
  summary: "Show an order and its history",
  params: OrderParams,
  answer: json(ShownOrderBody, "The order."),
});

function filterOf(given: z.infer<z.ZodObject<typeof FILTER>>) {
  const { status, payment, agent_id: actorId, sort } = given;
  return { status, payment, actorId, sort, ...spanOf(given) };
}

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
    const { limit, cursor, ...query } = c.req.valid("query");
    const filter = { ...filterOf(query), number: query.number };
    const request = { limit, cursor };
    const page = await listOrders(context, siteKeyHash, filter, request, c.get("principal"));
    return c.json(pageBody(page, renderAt(context.clock.now())), 200);
  });

  app.openapi(search, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { limit, cursor, buyer, ...body } = c.req.valid("json");
    const filter = { ...filterOf(body), buyer };
    const request = { limit, cursor };
    const page = await searchOrders(context, siteKeyHash, filter, request, c.get("principal"));
    return c.json(pageBody(page, renderAt(context.clock.now())), 200);
  });

  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { order_id: orderId } = c.req.valid("param");
    const shown = await showOrder(context, { siteKeyHash, orderId }, c.get("principal"));
    return c.json(renderOrder(context, requireFound(shown)), 200);
  });
}
