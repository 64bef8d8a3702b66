import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { resendMessage } from "../../actions/resend-message.js";
import type { Context } from "../../context.js";
import { MESSAGE_STATES, type Message } from "../../owners/outbox/message.js";
import { listMessages } from "../../owners/outbox/store.js";
import { isoTime } from "../../platform/clock.js";
import { type AdminEnv, requireSite } from "./access.js";
import { answerPage } from "./paging.js";
import {
  body,
  errors,
  json,
  NextCursor,
  PageQuery,
  refused,
  SiteParams,
  Timestamp,
} from "./schemas.js";

const State = z.enum(MESSAGE_STATES);

const MessageBody = z
  .object({
    message_id: z.string(),
    kind: z.enum(["webhook", "mail"]),
    topic: z.string().openapi({ example: "review.requested" }),
    destination: z.string(),
    state: State,
    attempts: z.int(),
    created_at: Timestamp,
    next_at: Timestamp.nullable().openapi({ description: "When it is tried, while it waits." }),
    delivered_at: Timestamp.nullable(),
    last_problem: z.string().nullable(),
  })
  .openapi("Message");

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
  request: { params: SiteParams, query: PageQuery.extend({ state: State.optional() }) },
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
  description: "With the same id and the same body, from the beginning of the schedule.",
  request: { params: MessageParams, body: body(z.strictObject({})) },
  responses: {
    200: json(MessageBody, "The message, waiting."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

function render(message: Message): z.infer<typeof MessageBody> {
  const { state, nextAt, deliveredAt } = message;
  return {
    message_id: message.messageId,
    kind: message.kind,
    topic: message.topic,
    destination: message.destination,
    state,
    attempts: message.attempts,
    created_at: isoTime(message.createdAt),
    next_at: state === "waiting" ? isoTime(nextAt) : null,
    delivered_at: deliveredAt === null ? null : isoTime(deliveredAt),
    last_problem: message.lastProblem,
  };
}

export function messageRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const query = c.req.valid("query");
    const answer = await answerPage(
      query,
      (page) => listMessages(context.db, site_key_hash, query.state, page),
      ({ createdAt, messageId }) => ({ createdAt, id: messageId }),
      render,
    );
    return c.json(answer, 200);
  });

  app.openapi(resend, async (c) => {
    const { site_key_hash, message_id } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const result = await resendMessage(context, site_key_hash, message_id);
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });
}
