import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Message, MessageState } from "../../domain/outbox/message.js";
import {
  messageById,
  requeueMessage,
  listMessages as selectMessages,
} from "../../domain/outbox/store.js";
import { mayMail } from "../../infra/mail/mail-limit.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** A page of a site's messages, in order of creation. */
export function listMessages(
  { db }: Context,
  siteKeyHash: string,
  state: MessageState | undefined,
  request: PageRequest,
): Promise<Result<Page<Message>, "invalid_request">> {
  return readPage(
    request,
    (page) => selectMessages(db, siteKeyHash, state, page),
    ({ createdAt, messageId }) => ({ createdAt, id: messageId }),
  );
}

const TOO_MANY = refuse(
  "rate_limited",
  "Too many emails were resent, to this address or from this site. Try again in 10 minutes.",
);

/**
 * Queues a message again, with every later message about the same order. Ids and bytes stay the same; the
 * schedule starts from its beginning. One that waits is only sent sooner, so it does not count.
 */
export function resendMessage(
  { clock, db }: Context,
  siteKeyHash: string,
  messageId: string,
): Promise<Result<Message, "not_found" | "rate_limited">> {
  return db.transaction(async (tx) => {
    const message = await messageById(tx, siteKeyHash, messageId);
    if (message === undefined) return refuse("not_found", "The site has no such message.");
    const now = clock.now();
    const { kind, state, destination: to } = message;
    const mail = { kind: "resent", from: siteKeyHash, to } as const;
    const isAgain = kind === "mail" && state !== "waiting";
    if (isAgain && !(await mayMail(tx, mail, now))) return TOO_MANY;
    await requeueMessage(tx, message, now);
    const requeued = {
      attempts: 0,
      since: now,
      nextAt: now,
      refused: false,
      deliveredAt: null,
      lastProblem: null,
    };
    return ok({ ...message, ...requeued, state: "waiting" });
  });
}
