import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { listMessages, resendMessage } from "../../actions/notifications/messages.js";
import type { Context } from "../../context.js";
import { AUDIENCES, MESSAGE_STATES, type Message } from "../../domain/outbox/message.js";
import { isoTime } from "../../infra/clock.js";
import { NEXT_MAIL_S } from "../../infra/mail/mail-limit.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireSite } from "./access.js";
import { idParam, pageOf, siteRoute } from "./describe.js";
import { PageQuery, pageBody, SiteParams } from "./schemas.js";

const MessageState = z.enum(MESSAGE_STATES);

export const MessageBody = z
  .object({
    message_id: z.string(),
    kind: z.enum(["webhook", "mail"]),
    audience: z.enum(AUDIENCES).openapi({ description: "Who receives the message." }),
    topic: z.string().openapi({ example: "review.requested" }),
    about: z
      .string()
      .nullable()
      .openapi({ description: "The order or the review that the message is about." }),
    destination: z.string(),
    state: MessageState,
    attempts: z.int(),
    created_at: Timestamp,
    next_at: Timestamp.nullable().openapi({
      description: "When the next attempt is made, while it waits.",
    }),
    delivered_at: Timestamp.nullable(),
    last_problem: z.string().nullable(),
  })
  .openapi("Message");

export function messageBody(message: Message): z.infer<typeof MessageBody> {
  const { state, nextAt, deliveredAt } = message;
  return {
    message_id: message.messageId,
    kind: message.kind,
    audience: message.audience,
    topic: message.topic,
    about: message.subjectId,
    destination: message.destination,
    state,
    attempts: message.attempts,
    created_at: isoTime(message.createdAt),
    next_at: state === "waiting" ? isoTime(nextAt) : null,
    delivered_at: timeOrNull(deliveredAt),
    last_problem: message.lastProblem,
  };
}

const MessageParams = SiteParams.extend({
  message_id: idParam("message_id"),
});

const list = siteRoute("get", "/messages", {
  tags: ["Notifications"],
  summary: "List sent messages and their delivery",
  query: PageQuery.extend({ state: MessageState.optional() }),
  answer: pageOf(MessageBody, "In order of creation."),
  errors: ["forbidden"],
});

const resend = siteRoute("post", "/messages/{message_id}/resend", {
  tags: ["Notifications"],
  summary: "Send a message again",
  description:
    "Sends the same id and body again, with all retries. Later messages " +
    "about the same order follow, so the receiver gets the newest state last.",
  params: MessageParams,
  body: strict({}),
  answer: json(MessageBody, "The message, which now waits for delivery."),
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
    const message = requireOk(await resendMessage(context, siteKeyHash, message_id), NEXT_MAIL_S);
    return c.json(messageBody(message), 200);
  });
}
