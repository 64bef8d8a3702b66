import type { OpenAPIHono } from "@hono/zod-openapi";
import { listMessages, resendMessage } from "../../actions/notifications/messages.js";
import type { Context } from "../../context.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireSite } from "./access.js";
import { idParam, pageOf, siteRoute } from "./describe.js";
import { MessageBody, MessageState, messageBody } from "./message-body.js";
import { PageQuery, pageBody, requireOk, SiteParams } from "./schemas.js";

const MessageParams = SiteParams.extend({
  message_id: idParam("message_id"),
});

const list = siteRoute("get", "/messages", {
  tags: ["Notifications"],
  summary: "List messages to the outside, and what became of them",
  query: PageQuery.extend({ state: MessageState.optional() }),
  answer: pageOf(MessageBody, "In order."),
  errors: ["forbidden"],
});

const resend = siteRoute("post", "/messages/{message_id}/resend", {
  tags: ["Notifications"],
  summary: "Send a message again",
  description:
    "With the same id and the same body, from the beginning of the schedule. What was told later " +
    "of the same order follows it: whoever gets an old state gets the newest last.",
  params: MessageParams,
  body: strict({}),
  answer: json(MessageBody, "The message, waiting."),
});

export function messageRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const query = c.req.valid("query");
    const page = await listMessages(context, siteKeyHash, query.state, query);
    return c.json(pageBody(page, messageBody), 200);
  });

  app.openapi(resend, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { message_id } = c.req.valid("param");
    const message = requireOk(await resendMessage(context, siteKeyHash, message_id));
    return c.json(messageBody(message), 200);
  });
}
