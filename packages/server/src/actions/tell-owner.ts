import { isJsonObject } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { notifySettings } from "../owners/notify-settings/store.js";
import { type Message, WAITING_MAX } from "../owners/outbox/message.js";
import { countWaiting, insertMessages } from "../owners/outbox/store.js";
import { currentPolicy } from "../owners/policies/store.js";
import type { Transaction } from "../platform/db/database.js";
import { takeExact } from "../platform/rate-limit/exact.js";
import { type AskedReview, REVIEW_REQUESTED, reviewEvent, reviewMail } from "./review-notice.js";

/** Mails to one owner: thirty at once, then one every two minutes. Nobody reads more than that. */
const MAIL_RATE = { perMinute: 0.5, burst: 30 };
const TOO_MANY = "too many messages were waiting when it was written";

/** What the owner calls a rule of the policy in force: the one that asked, in the same transaction. */
async function titleOf(tx: Transaction, siteKeyHash: string, ruleId: string) {
  const rules = (await currentPolicy(tx, siteKeyHash))?.document.rules;
  const rule = Array.isArray(rules)
    ? rules.find((one) => isJsonObject(one) && one.id === ruleId)
    : undefined;
  const title = isJsonObject(rule) ? rule.title : undefined;
  return typeof title === "string" ? title : null;
}

/**
 * Writes what the owner is told of a review, in the transaction that asks for it: told is what was
 * decided, and whatever was decided is told.
 */
export async function tellOwner(
  tx: Transaction,
  { config, ids }: Pick<Context, "config" | "ids">,
  about: Omit<AskedReview, "ruleTitle">,
): Promise<void> {
  const { siteKeyHash } = about.site;
  const { now } = about;
  const { webhookUrl, emails } = await notifySettings(tx, siteKeyHash);
  const mailed =
    emails.length > 0 && (await takeExact(tx, `notices ${siteKeyHash}`, MAIL_RATE, now));
  if (webhookUrl === null && !mailed) return;
  const asked = { ...about, ruleTitle: await titleOf(tx, siteKeyHash, about.review.ruleId) };
  const full = (await countWaiting(tx, siteKeyHash, WAITING_MAX)) >= WAITING_MAX;
  const message = (kind: Message["kind"], destination: string): Message => {
    const messageId = ids.timeId("msg", now);
    const body = kind === "mail" ? reviewMail(asked) : reviewEvent(asked, messageId, config);
    return {
      ...{ messageId, siteKeyHash, kind, topic: REVIEW_REQUESTED, destination },
      ...{ body: JSON.stringify(body), createdAt: now, attempts: 0, nextAt: now },
      ...{ state: full ? "failed" : "waiting", deliveredAt: null },
      lastProblem: full ? TOO_MANY : null,
    };
  };
  await insertMessages(tx, [
    ...(webhookUrl === null ? [] : [message("webhook", webhookUrl)]),
    ...(mailed ? emails.map((address) => message("mail", address)) : []),
  ]);
}
