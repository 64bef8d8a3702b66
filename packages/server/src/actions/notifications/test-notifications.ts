import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { notifySettings } from "../../domain/notify-settings/store.js";
import type { Site } from "../../domain/sites/site.js";
import { isoTime } from "../../infra/clock.js";
import { takeExact } from "../../infra/rate-limit/exact.js";
import { chatMessage, mailOf, type NoticeWords } from "../../purchase/notices/chat-message.js";
import { type Sendable, sendMessage } from "./deliver-messages.js";
import { noteDelivery } from "./note-delivery.js";

/** Tests reach people: five at once, then one a minute. */
const TEST_RATE = { perMinute: 1, burst: 5 };

/** The result of a test for one receiver. */
export interface TestDelivery {
  readonly kind: "webhook" | "mail";
  readonly destination: string;
  readonly delivered: boolean;
  /** A sentence for the owner. */
  readonly says: string;
}

export function testMail({ domain }: Pick<Site, "domain">): NoticeWords {
  const text = `This is a test message. Gatehouse sends notifications about orders at ${domain}, and about requests that need review, to this address. You do not have to do anything.\n`;
  return { subject: `${domain}: test of your notifications`, text };
}

/** Sends a test message to each receiver of the owner, once, and reports the results. */
export async function testNotifications(
  context: Context,
  site: Site,
): Promise<Result<readonly TestDelivery[], "conflict" | "rate_limited">> {
  const { clock, db, ids } = context;
  const { siteKeyHash, domain } = site;
  const { webhookUrl, webhookFormat, emails } = await notifySettings(db, siteKeyHash);
  if (webhookUrl === null && emails.length === 0) {
    return refuse(
      "conflict",
      "There is no address for notifications. Set a webhook or an email address first.",
    );
  }
  const now = clock.now();
  const limit = `notify-tests ${siteKeyHash}`;
  if (!(await db.transaction((tx) => takeExact(tx, limit, TEST_RATE, now)))) {
    return refuse("rate_limited", "Too many tests. Try again in a minute.");
  }
  const send = async (kind: TestDelivery["kind"], destination: string): Promise<TestDelivery> => {
    const messageId = ids.timeId("msg", now);
    const event = {
      type: "notifications.test",
      message_id: messageId,
      occurred_at: isoTime(now),
      site_key_hash: siteKeyHash,
      domain,
    };
    const mail = testMail(site);
    const posted =
      kind === "webhook" && webhookFormat !== "json"
        ? chatMessage(webhookFormat, destination, mail)
        : { destination, body: kind === "mail" ? mailOf(mail, site.name) : event };
    const message: Sendable = {
      messageId,
      siteKeyHash,
      kind,
      audience: "owner",
      destination: posted.destination,
      body: JSON.stringify(posted.body),
      createdAt: now,
    };
    const sent = await sendMessage(context, message);
    if (sent.ok) await noteDelivery(context, message);
    const says = sent.ok
      ? "The message was delivered."
      : `The message was not delivered: ${sent.detail}.`;
    return { kind, destination, delivered: sent.ok, says };
  };
  const receivers = [
    ...(webhookUrl === null ? [] : [["webhook", webhookUrl] as const]),
    ...emails.map((address) => ["mail", address] as const),
  ];
  return ok(await Promise.all(receivers.map(([kind, destination]) => send(kind, destination))));
}
