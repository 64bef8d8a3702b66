import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { agentRoutes } from "./agents.js";
import { answering, requireMandateSite } from "./answering.js";
import { MandateRefusal } from "./refusal.js";

/**
 * Where agents make themselves known, and where they will send mandates: no site takes any yet, and
 * the endpoint says so in the contract's own words, whatever is sent.
 */
export function mandatesDoor(context: Context): Door {
  const routes = new OpenAPIHono<HttpEnv>();
  agentRoutes(routes, context);
  const mandate = answering(context, async (c) => {
    await requireMandateSite(context, c);
    throw new MandateRefusal("mandates_disabled");
  });
  routes.post("/v1/m/:site/mandate", mandate);
  return { name: "mandates", cors: "echo", routes };
}
