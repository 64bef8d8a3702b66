import type { JsonObject } from "@gatehouse/protocol";
import type { WebhookFormat } from "../../domain/notify-settings/notify-settings.js";
import { notifySettings } from "../../domain/notify-settings/store.js";
import { type Message, newMessage, WAITING_MAX } from "../../domain/outbox/message.js";
import { failedIfFull, insertMessages } from "../../domain/outbox/store.js";
import { currentPolicy } from "../../domain/policies/store.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import { nameOfSite } from "../../domain/sites/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import type { Ids } from "../../infra/ids.js";
import { takeExact } from "../../infra/rate-limit/exact.js";
import { chatMessage, mailOf, type NoticeWords } from "./chat-message.js";

/** Mails to one owner: thirty at once, then one every two minutes. */
const MAIL_RATE = { perMinute: 0.5, burst: 30 };

/** A notification to the owner, as a webhook and as a mail. */
export interface Notice {
  readonly siteKeyHash: string;
  /** Such as `review.requested`. */
  readonly topic: string;
  readonly now: number;
  /** The order or review. With a position, messages to one receiver are sent in order. */
  readonly subject?: { readonly id: string; readonly position?: number };
  event(messageId: string): JsonObject;
  /** Mails with their own budget do not use up the budget of the others. */
  readonly budget?: "order notices" | "dispute notices" | "question mails";
  /** Undefined if no person has to know. */
  mail?(): NoticeWords;
}

/** `nobody`: the owner wants no notifications. `too_many`: not now, the mail budget is used up. */
export type NotifyResult = "notified" | "nobody" | "too_many";

/** The zone of the times in a notice: that of the shop, or else of its rules. */
export async function noticeZone(db: Queries, siteKeyHash: string): Promise<string> {
  const { timeZone } = await shopSettings(db, siteKeyHash);
  const zone = timeZone ?? (await currentPolicy(db, siteKeyHash))?.document.timezone;
  return typeof zone === "string" ? zone : "UTC";
}

export async function wantsNotification(db: Queries, siteKeyHash: string): Promise<boolean> {
  const { webhookUrl, emails } = await notifySettings(db, siteKeyHash);
  return webhookUrl !== null || emails.length > 0;
}

/** An address of the owner, how a webhook is written for it, and the name of the shop that writes. */
interface Receiver {
  readonly address: string;
  readonly webhookFormat: WebhookFormat;
  readonly shop: string | undefined;
}

/** What is sent to an address, and where to. */
function contentOf(
  notice: Notice,
  messageId: string,
  kind: Message["kind"],
  { address, webhookFormat, shop }: Receiver,
) {
  const words = notice.mail?.();
  if (kind === "webhook" && webhookFormat !== "json" && words !== undefined) {
    return chatMessage(webhookFormat, address, words);
  }
  const mail = words && mailOf(words, shop);
  return { destination: address, body: kind === "mail" ? mail : notice.event(messageId) };
}

/**
 * Writes the messages to the owner in the transaction of the event, so that there are messages if and only if
 * the event happened.
 */
export async function notifyOwner(
  tx: Transaction,
  ids: Ids,
  notice: Notice,
): Promise<NotifyResult> {
  const { siteKeyHash, topic, now, mail, subject } = notice;
  const settings = await notifySettings(tx, siteKeyHash);
  const { webhookFormat } = settings;
  // A chat is for people, as mail is.
  const webhookUrl = webhookFormat !== "json" && mail === undefined ? null : settings.webhookUrl;
  const emails = mail === undefined ? [] : settings.emails;
  if (webhookUrl === null && emails.length === 0) return "nobody";
  const { budget = "notices" } = notice;
  const mailed =
    emails.length > 0 && (await takeExact(tx, `${budget} ${siteKeyHash}`, MAIL_RATE, now));
  if (webhookUrl === null && !mailed) return "too_many";
  const shop = mailed ? await nameOfSite(tx, siteKeyHash) : undefined;
  const message = (kind: Message["kind"], address: string): Promise<Message> => {
    const messageId = ids.timeId("msg", now);
    const { destination, body } = contentOf(notice, messageId, kind, {
      address,
      webhookFormat,
      shop,
    });
    const place = kind === "mail" ? null : (subject?.position ?? null);
    const message = newMessage({
      messageId,
      siteKeyHash,
      kind,
      audience: "owner",
      topic,
      destination,
      subjectId: subject?.id ?? null,
      position: place,
      body: JSON.stringify(body),
      createdAt: now,
    });
    return failedIfFull(tx, message, { siteKeyHash, audience: "owner" }, WAITING_MAX);
  };
  const messages = [...(webhookUrl === null ? [] : [await message("webhook", webhookUrl)])];
  for (const address of mailed ? emails : []) messages.push(await message("mail", address));
  await insertMessages(tx, messages);
  return "notified";
}
