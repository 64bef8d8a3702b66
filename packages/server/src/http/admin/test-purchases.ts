import { formatAmount } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { startTest } from "../../actions/test-purchases/start-test.js";
import type { Context } from "../../context.js";
import { PROVIDER_KINDS } from "../../domain/sites/site.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

const start = siteRoute("post", "/test-purchases", {
  tags: ["Selling"],
  summary: "Start a test purchase",
  description:
    "Adds a test agent with this key, and a test item that nobody else can find or buy. Its price is twice the limit " +
    "in your rules. Turns on `place_order` and mandates. When the purchase is decided, or after 10 minutes without a " +
    "request, the agent is revoked and the item is removed. Needs the sandbox or a Stripe test key: no money moves.",
  body: strict({ jwk: z.record(z.string(), z.unknown()) }),
  created: json(
    z
      .object({
        agent_id: z.string(),
        product_id: z.string(),
        cart: z.object({ total: z.string(), currency: z.string() }),
        handler: z.enum(PROVIDER_KINDS).openapi({
          description:
            "The payment provider to name in the mandate. It accepts the token `tok_visa`.",
        }),
      })
      .openapi("TestPurchase"),
    "What the test agent can order, and the cart to sign.",
  ),
  errors: ["conflict"],
});

export function testPurchaseRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(start, async (c) => {
    const site = await requireSite(context, c, "owner");
    const started = await startTest(context, site, c.req.valid("json").jwk, actorOf(c));
    const { agentId, productId, price, handler } = requireOk(started);
    const cart = { total: formatAmount(price), currency: price.currency };
    return c.json({ agent_id: agentId, product_id: productId, cart, handler }, 201);
  });
}
