import { OpenAPIHono } from "@hono/zod-openapi";
import { submitMandate } from "../../actions/submit-mandate.js";
import type { Context } from "../../context.js";
import { limitKey } from "../../platform/http/connection.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { answerOf } from "../mandate-answer.js";
import { agentRoutes } from "./agents.js";
import { answer, answering, readBody, requireMandateSite } from "./answering.js";
import { escalationRoutes } from "./escalations.js";
import { withReceipts } from "./receipts.js";

/** Where agents make themselves known, and send what they are asked to do. */
export function mandatesDoor(context: Context): Door {
  const routes = new OpenAPIHono<HttpEnv>();
  agentRoutes(routes, context);
  escalationRoutes(routes, context);
  const mandate = answering(context, async (c) => {
    const site = await requireMandateSite(context, c);
    const body = await readBody(context, c);
    const source = limitKey(c.get("connection").address);
    const submission = { requestId: c.get("requestId"), source };
    const submitted = await submitMandate(context, site, body, submission);
    const { status, body: said, headers } = answerOf(context.config.baseUrl, submitted);
    return answer(c, status, said, headers);
  });
  routes.post("/v1/m/:site/mandate", withReceipts(context, mandate));
  return { name: "mandates", cors: "echo", routes };
}
