import type { JsonObject } from "@gatehouse/protocol";
import { notifySettings } from "../../domain/notify-settings/store.js";
import { type Message, newMessage, WAITING_MAX } from "../../domain/outbox/message.js";
import { failedIfFull, insertMessages } from "../../domain/outbox/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import type { Ids } from "../../infra/ids.js";
import { takeExact } from "../../infra/rate-limit/exact.js";

/** Mails to one owner: thirty at once, then one every two minutes. Nobody reads more than that. */
const MAIL_RATE = { perMinute: 0.5, burst: 30 };

/** Something an owner is told: to a program, and to a person. */
export interface Notice {
  readonly siteKeyHash: string;
  /** Such as `review.requested`. */
  readonly topic: string;
  readonly now: number;
  /** What it tells of; with a place, one of several told to one receiver in order. */
  readonly about?: { readonly id: string; readonly place?: number };
  event(messageId: string): JsonObject;
  /** Mails of one kind, however many there are, leave room for the others. */
  readonly budget?: "order notices" | "dispute notices";
  /** Absent where no person has to know. */
  mail?(): { readonly subject: string; readonly text: string };
}

/** `nobody`: the owner wants to be told of nothing. `too_many`: not now, there were so many mails. */
export type NotifyResult = "told" | "nobody" | "too_many";

/** Whether the owner of a site wants to be told of anything. */
export async function wantsNotification(db: Queries, siteKeyHash: string): Promise<boolean> {
  const { webhookUrl, emails } = await notifySettings(db, siteKeyHash);
  return webhookUrl !== null || emails.length > 0;
}

/**
 * Writes what the owner is told, in the transaction that makes it so: told is what happened, and
 * whatever happened is told.
 */
export async function notifyOwner(
  tx: Transaction,
  ids: Ids,
  notice: Notice,
): Promise<NotifyResult> {
  const { siteKeyHash, topic, now, mail, about } = notice;
  const settings = await notifySettings(tx, siteKeyHash);
  const { webhookUrl } = settings;
  const emails = mail === undefined ? [] : settings.emails;
  if (webhookUrl === null && emails.length === 0) return "nobody";
  const { budget = "notices" } = notice;
  const mailed =
    emails.length > 0 && (await takeExact(tx, `${budget} ${siteKeyHash}`, MAIL_RATE, now));
  if (webhookUrl === null && !mailed) return "too_many";
  const message = (kind: Message["kind"], destination: string): Promise<Message> => {
    const messageId = ids.timeId("msg", now);
    const body = kind === "mail" ? notice.mail?.() : notice.event(messageId);
    const place = kind === "mail" ? null : (about?.place ?? null);
    const written = newMessage({
      messageId,
      siteKeyHash,
      kind,
      audience: "owner",
      topic,
      destination,
      subjectId: about?.id ?? null,
      position: place,
      body: JSON.stringify(body),
      createdAt: now,
    });
    return failedIfFull(tx, written, { siteKeyHash, audience: "owner" }, WAITING_MAX);
  };
  const messages = [...(webhookUrl === null ? [] : [await message("webhook", webhookUrl)])];
  for (const address of mailed ? emails : []) messages.push(await message("mail", address));
  await insertMessages(tx, messages);
  return "told";
}
