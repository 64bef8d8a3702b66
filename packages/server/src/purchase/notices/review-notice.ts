import { isJsonObject, type JsonObject } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import type { Context } from "../../context.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import { platformNamed } from "../../domain/platforms/store.js";
import { currentPolicy } from "../../domain/policies/store.js";
import { isoTime } from "../../infra/clock.js";
import type { Transaction } from "../../infra/db/database.js";
import { plainLine } from "../../infra/mail/text.js";
import { webName } from "../../infra/web-name.js";
import { noticeZone, notifyOwner, wantsNotification } from "./notify-owner.js";
import { type ReviewNotice, reviewMail, reviewPage } from "./review-mail.js";

const REVIEW_REQUESTED = "review.requested";

export function reviewEvent(
  { site, review, agent, ruleTitle, now }: ReviewNotice,
  messageId: string,
  { baseUrl }: Pick<Config, "baseUrl">,
): JsonObject {
  const { siteKeyHash, domain } = site;
  const { escalationId, actorId, ruleId, request, expiresAt } = review;
  const { skill, amount, items = [] } = request;
  return {
    type: REVIEW_REQUESTED,
    message_id: messageId,
    occurred_at: isoTime(now),
    site_key_hash: siteKeyHash,
    domain,
    escalation: {
      escalation_id: escalationId,
      agent_id: actorId,
      agent_name: plainLine(agent.name),
      skill,
      amount: amount && { minor: amount.minor, currency: amount.currency },
      items: items.map((item) => ({ ...item, title: plainLine(item.title) })),
      rule_id: ruleId,
      rule_title: ruleTitle,
      expires_at: isoTime(expiresAt),
      console_url: reviewPage(baseUrl, domain, escalationId),
      review_url: `${baseUrl}/v1/admin/sites/${siteKeyHash}/escalations/${escalationId}`,
    },
  };
}

/** What the policy in force says about a rule: the owner's title, and the zone of times. */
async function policyWords(tx: Transaction, siteKeyHash: string, ruleId: string) {
  const document = (await currentPolicy(tx, siteKeyHash))?.document;
  const rules = Array.isArray(document?.rules) ? document.rules : [];
  const rule = rules.find((one) => isJsonObject(one) && one.id === ruleId);
  const title = isJsonObject(rule) ? rule.title : undefined;
  return {
    ruleTitle: typeof title === "string" ? title : null,
    timeZone: await noticeZone(tx, siteKeyHash),
  };
}

/** The name that the owner gave a platform that has proven who it is. */
async function nameOfPlatform(
  tx: Transaction,
  { site, review, agent }: Pick<ReviewNotice, "site" | "review" | "agent">,
): Promise<string | null> {
  const name = agent.name === review.actorId ? webName(agent.name) : undefined;
  const platform = name && (await platformNamed(tx, site.siteKeyHash, name));
  return platform?.name ?? null;
}

/** Notifies the owner that a request needs review. */
export async function notifyReviewers(
  tx: Transaction,
  { config, ids }: Pick<Context, "config" | "ids">,
  request: Omit<ReviewNotice, "ruleTitle" | "timeZone" | "checkout" | "platformName">,
): Promise<void> {
  const { siteKeyHash } = request.site;
  if (!(await wantsNotification(tx, siteKeyHash))) return;
  const { checkoutId } = request.review.request.checkout ?? {};
  const checkout =
    checkoutId === undefined ? undefined : await checkoutById(tx, siteKeyHash, checkoutId);
  const words = await policyWords(tx, siteKeyHash, request.review.ruleId);
  const platformName = await nameOfPlatform(tx, request);
  const notice = { ...request, ...words, checkout, platformName };
  await notifyOwner(tx, ids, {
    siteKeyHash,
    topic: REVIEW_REQUESTED,
    now: request.now,
    subject: { id: request.review.escalationId },
    event: (messageId) => reviewEvent(notice, messageId, config),
    mail: () => reviewMail(notice, config),
  });
}
