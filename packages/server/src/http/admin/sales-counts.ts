import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { COUNT_BY_QUARTER } from "../../actions/count-by.js";
import { countSales } from "../../actions/orders/count-sales.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import { json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { MoneyBody, SpanQuery, spanOf } from "./schemas.js";

const Sales = z
  .object({
    orders: z.int(),
    amounts: z.array(MoneyBody).openapi({ description: "One for each currency." }),
  })
  .openapi("Sales");

const SalesStep = z.object({ start: Timestamp, ...Sales.shape }).openapi("SalesStep");
const SalesByActor = z.object({ agent_id: z.string(), ...Sales.shape }).openapi("SalesByAgent");
const SalesByProduct = z
  .object({ id: z.string(), title: z.string(), quantity: z.int(), ...Sales.shape })
  .openapi("SalesByProduct");

const count = siteRoute("get", "/orders/counts", {
  tags: ["Selling"],
  summary: "Count sales over time",
  description:
    "Adds up orders per quarter of an hour, hour or day of UTC. Cancelled orders, and orders whose payment was voided or expired, are left " +
    "out. A site that takes real payments counts only those; any other site counts its test orders.",
  query: SpanQuery.extend({ by: z.enum(COUNT_BY_QUARTER).default("day") }),
  answer: json(
    z.object({
      total: Sales,
      items: z.array(SalesStep).openapi({
        description: "The oldest first. Times without orders are left out.",
      }),
      agents: z.array(SalesByActor).openapi({ description: "The 10 that bought most." }),
      products: z.array(SalesByProduct).openapi({ description: "The 10 that sold most." }),
      is_test: z.boolean().openapi({ description: "Whether these are test orders." }),
      cut: z.boolean().openapi({
        description: "Only the newest 5,000 orders were counted. Request a shorter time.",
      }),
    }),
    "What was sold.",
  ),
});

/** Registered before the routes of single orders, so that `counts` is not taken for an order's id. */
export function salesCountRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(count, async (c) => {
    const site = await requireSite(context, c, "auditor");
    const { by, ...span } = c.req.valid("query");
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = spanOf(span);
    const counted = await countSales(context, site, { from, to }, by);
    const sales = ({ orders, amounts }: (typeof counted)["total"]) => ({
      orders,
      amounts: [...amounts],
    });
    return c.json(
      {
        total: sales(counted.total),
        items: counted.steps.map((step) => ({ start: isoTime(step.start), ...sales(step) })),
        agents: counted.actors.map((one) => ({ agent_id: one.actorId, ...sales(one) })),
        products: counted.products.map(({ id, title, quantity, ...one }) => ({
          id,
          title,
          quantity,
          ...sales(one),
        })),
        is_test: counted.isTest,
        cut: counted.cut,
      },
      200,
    );
  });
}
