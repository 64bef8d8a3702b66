import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { agentRoutes } from "./agents.js";
import { answering } from "./answering.js";
import { escalationRoutes } from "./escalations.js";
import { MandateRefusal } from "./refusal.js";

/**
 * Where agents make themselves known, and ask what became of what they sent. Mandates themselves are
 * answered in front of the kernel; what comes through has a name no site can have.
 */
export function mandatesDoor(context: Context): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();
  agentRoutes(routes, context);
  escalationRoutes(routes, context);
  const unknown = answering(context, async () => {
    throw new MandateRefusal("site_not_found");
  });
  routes.post("/v1/m/:site/mandate", unknown);
  return { name: "mandates", cors: "echo", routes };
}
