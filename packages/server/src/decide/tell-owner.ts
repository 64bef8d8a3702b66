import type { JsonObject } from "@gatehouse/protocol";
import { notifySettings } from "../owners/notify-settings/store.js";
import { type Message, WAITING_MAX } from "../owners/outbox/message.js";
import { countWaiting, insertMessages } from "../owners/outbox/store.js";
import type { Transaction } from "../platform/db/database.js";
import type { Ids } from "../platform/ids.js";
import { takeExact } from "../platform/rate-limit/exact.js";

/** Mails to one owner: thirty at once, then one every two minutes. Nobody reads more than that. */
const MAIL_RATE = { perMinute: 0.5, burst: 30 };
const TOO_MANY = "too many messages were waiting when it was written";

/** Something an owner is told: to a program, and to a person. */
export interface Notice {
  readonly siteKeyHash: string;
  /** Such as `review.requested`. */
  readonly topic: string;
  readonly now: number;
  event(messageId: string): JsonObject;
  mail(): { readonly subject: string; readonly text: string };
}

/** `nobody`: the owner wants to be told of nothing. `too_many`: not now, there were so many mails. */
export type Told = "told" | "nobody" | "too_many";

/**
 * Writes what the owner is told, in the transaction that makes it so: told is what happened, and
 * whatever happened is told.
 */
export async function tellOwner(tx: Transaction, ids: Ids, notice: Notice): Promise<Told> {
  const { siteKeyHash, topic, now } = notice;
  const { webhookUrl, emails } = await notifySettings(tx, siteKeyHash);
  const mailed =
    emails.length > 0 && (await takeExact(tx, `notices ${siteKeyHash}`, MAIL_RATE, now));
  if (webhookUrl === null && emails.length === 0) return "nobody";
  if (webhookUrl === null && !mailed) return "too_many";
  const full = (await countWaiting(tx, siteKeyHash, WAITING_MAX)) >= WAITING_MAX;
  const message = (kind: Message["kind"], destination: string): Message => {
    const messageId = ids.timeId("msg", now);
    const body = kind === "mail" ? notice.mail() : notice.event(messageId);
    return {
      ...{ messageId, siteKeyHash, kind, topic, destination },
      ...{ body: JSON.stringify(body), createdAt: now, attempts: 0, nextAt: now },
      ...{ state: full ? "failed" : "waiting", deliveredAt: null },
      lastProblem: full ? TOO_MANY : null,
    };
  };
  await insertMessages(tx, [
    ...(webhookUrl === null ? [] : [message("webhook", webhookUrl)]),
    ...(mailed ? emails.map((address) => message("mail", address)) : []),
  ]);
  return "told";
}
