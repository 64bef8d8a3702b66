import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { listMessages, resendMessage } from "../../actions/notifications/messages.js";
import type { Context } from "../../context.js";
import { strict } from "../server/faults.js";
import { body, errors, json } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { MessageBody, MessageState, messageBody } from "./message-body.js";
import { NextCursor, PageQuery, pageBody, refused, SiteParams } from "./schemas.js";

const MessageParams = SiteParams.extend({
  message_id: z
    .string()
    .max(80)
    .openapi({ param: { name: "message_id", in: "path" } }),
});

const list = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/messages",
  tags: ["Notifications"],
  summary: "List messages to the outside, and what became of them",
  request: { params: SiteParams, query: PageQuery.extend({ state: MessageState.optional() }) },
  responses: {
    200: json(z.object({ items: z.array(MessageBody), next_cursor: NextCursor }), "In order."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

const resend = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/messages/{message_id}/resend",
  tags: ["Notifications"],
  summary: "Send a message again",
  description:
    "With the same id and the same body, from the beginning of the schedule. What was told later " +
    "of the same order follows it: whoever gets an old state gets the newest last.",
  request: { params: MessageParams, body: body(strict({})) },
  responses: {
    200: json(MessageBody, "The message, waiting."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

export function messageRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const query = c.req.valid("query");
    const page = await listMessages(context, site_key_hash, query.state, query);
    return c.json(pageBody(page, messageBody), 200);
  });

  app.openapi(resend, async (c) => {
    const { site_key_hash, message_id } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const result = await resendMessage(context, site_key_hash, message_id);
    return result.ok ? c.json(messageBody(result.value), 200) : refused(result);
  });
}
