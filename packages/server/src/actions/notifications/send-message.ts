import type { Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Message } from "../../domain/outbox/message.js";

/** What one try needs of a message. */
export type Sendable = Pick<
  Message,
  "messageId" | "siteKeyHash" | "kind" | "audience" | "destination" | "body" | "createdAt"
>;

/** `refused`: the receiver is there, and does not want this one now. `gone`: it never will. */
export type Sent = Result<true, "gone" | "refused" | "not_delivered">;

/** One try to deliver a message, by the way its kind goes. */
export function sendMessage({ mailer, webhooks }: Context, message: Sendable): Promise<Sent> {
  const { messageId, siteKeyHash, kind, audience, destination, body, createdAt } = message;
  if (kind === "webhook") {
    const webhook = { url: destination, body, messageId };
    if (audience !== "platform") return webhooks.send(webhook);
    return webhooks.sendOrder({ ...webhook, siteKeyHash, occurredAt: createdAt });
  }
  const { subject, text } = JSON.parse(body) as { subject: string; text: string };
  return mailer.send({ messageId, to: destination, subject, text, writtenAt: createdAt });
}
