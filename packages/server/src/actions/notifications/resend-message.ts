import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Message } from "../../domain/outbox/message.js";
import { messageById, requeueMessage } from "../../domain/outbox/store.js";

/**
 * Has a message delivered again, and all that was told later of the same order: the same ids, the same
 * bytes, the whole schedule from its start.
 */
export function resendMessage(
  { clock, db }: Context,
  siteKeyHash: string,
  messageId: string,
): Promise<Result<Message, "not_found">> {
  return db.transaction(async (tx) => {
    const message = await messageById(tx, siteKeyHash, messageId);
    if (message === undefined) return refuse("not_found", "The site has no such message.");
    const now = clock.now();
    await requeueMessage(tx, message, now);
    const again = {
      attempts: 0,
      since: now,
      nextAt: now,
      refused: false,
      deliveredAt: null,
      lastProblem: null,
    };
    return ok({ ...message, ...again, state: "waiting" });
  });
}
