import { formatAmount, isJsonObject, type JsonObject } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import { currentPolicy } from "../../domain/policies/store.js";
import type { Review } from "../../domain/reviews/review.js";
import type { Site } from "../../domain/sites/site.js";
import { isoTime } from "../../infra/clock.js";
import type { Transaction } from "../../infra/db/database.js";
import { plainLine, quoted } from "../../infra/mail/text.js";
import { notifyOwner } from "./notify-owner.js";

/** A request that needs review. */
export interface ReviewNotice {
  readonly site: Site;
  readonly review: Review;
  readonly agent: Pick<Agent, "name" | "source">;
  /** The title of the rule that requires the review. */
  readonly ruleTitle: string | null;
  readonly now: number;
}

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
      review_url: `${baseUrl}/v1/admin/sites/${siteKeyHash}/escalations/${escalationId}`,
    },
  };
}

/** Its subject contains nothing that an agent wrote. */
export function reviewMail({ site, review, agent, ruleTitle }: ReviewNotice): {
  readonly subject: string;
  readonly text: string;
} {
  const { escalationId, actorId, ruleId, request, expiresAt, approvalsNeeded } = review;
  const { skill, amount, items = [] } = request;
  const price = amount === null ? [] : [`Amount:  ${formatAmount(amount)} ${amount.currency}`];
  const called = agent.source === "self" ? "calls itself" : "you call it";
  const people = approvalsNeeded === 1 ? [] : [`${approvalsNeeded} people must approve it.`];
  const lines = [
    `A request of an agent at ${site.domain} needs review.`,
    "",
    `What:    ${skill}`,
    ...items.map((item) => `         ${item.quantity} × ${plainLine(item.title)} (${item.id})`),
    ...price,
    // The name of a platform is its address.
    `Who:     ${actorId}${agent.name === actorId ? "" : ` (${called} ${quoted(agent.name)})`}`,
    `Rule:    ${ruleId}${ruleTitle === null ? "" : ` (${plainLine(ruleTitle)})`}`,
    `Until:   ${isoTime(expiresAt)}, then it is rejected`,
    `Review:  ${escalationId}`,
    "",
    "To decide, use the gatehouse command:",
    "",
    ...["show", "approve", "deny"].map((verb) => {
      const reason = verb === "deny" ? " --reason other" : "";
      return `  gatehouse review ${verb} ${site.domain} ${escalationId}${reason}`;
    }),
    "",
    ...people,
    "You cannot decide by replying to this message.",
  ];
  const subject = `${site.domain}: ${skill} needs review`;
  return { subject, text: `${lines.join("\n")}\n` };
}

/** The owner's title of a rule of the policy in force. */
async function titleOf(tx: Transaction, siteKeyHash: string, ruleId: string) {
  const rules = (await currentPolicy(tx, siteKeyHash))?.document.rules;
  const rule = Array.isArray(rules)
    ? rules.find((one) => isJsonObject(one) && one.id === ruleId)
    : undefined;
  const title = isJsonObject(rule) ? rule.title : undefined;
  return typeof title === "string" ? title : null;
}

/** Notifies the owner that a request needs review. */
export async function notifyReviewers(
  tx: Transaction,
  { config, ids }: Pick<Context, "config" | "ids">,
  request: Omit<ReviewNotice, "ruleTitle">,
): Promise<void> {
  const { siteKeyHash } = request.site;
  const notice = { ...request, ruleTitle: await titleOf(tx, siteKeyHash, request.review.ruleId) };
  await notifyOwner(tx, ids, {
    siteKeyHash,
    topic: REVIEW_REQUESTED,
    now: request.now,
    subject: { id: request.review.escalationId },
    event: (messageId) => reviewEvent(notice, messageId, config),
    mail: () => reviewMail(notice),
  });
}
