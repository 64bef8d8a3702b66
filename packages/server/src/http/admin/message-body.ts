import { z } from "@hono/zod-openapi";
import { AUDIENCES, MESSAGE_STATES, type Message } from "../../domain/outbox/message.js";
import { isoTime } from "../../infra/clock.js";
import { Timestamp, timeOrNull } from "../server/schemas.js";

export const MessageState = z.enum(MESSAGE_STATES);

export const MessageBody = z
  .object({
    message_id: z.string(),
    kind: z.enum(["webhook", "mail"]),
    audience: z.enum(AUDIENCES).openapi({ description: "Who is told." }),
    topic: z.string().openapi({ example: "review.requested" }),
    about: z.string().nullable().openapi({ description: "The order or the review it tells of." }),
    destination: z.string(),
    state: MessageState,
    attempts: z.int(),
    created_at: Timestamp,
    next_at: Timestamp.nullable().openapi({ description: "When it is tried, while it waits." }),
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
