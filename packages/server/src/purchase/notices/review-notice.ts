import { formatAmount, type JsonObject } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import type { Agent } from "../../domain/agents/agent.js";
import type { Review } from "../../domain/reviews/review.js";
import type { Site } from "../../domain/sites/site.js";
import { isoTime } from "../../infra/clock.js";
import { plainLine, quoted } from "../../infra/mail/text.js";

/** What an owner is told of: somebody asks for something that a person has to decide. */
export interface AskedReview {
  readonly site: Site;
  readonly review: Review;
  readonly agent: Pick<Agent, "name" | "source">;
  /** What the owner calls the rule that asked. */
  readonly ruleTitle: string | null;
  readonly now: number;
}

export const REVIEW_REQUESTED = "review.requested";

/** The body of the webhook. */
export function reviewEvent(
  { site, review, agent, ruleTitle, now }: AskedReview,
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

/** The mail. Its subject holds nothing an agent has written. */
export function reviewMail({ site, review, agent, ruleTitle }: AskedReview): {
  readonly subject: string;
  readonly text: string;
} {
  const { escalationId, actorId, ruleId, request, expiresAt, approvalsNeeded } = review;
  const { skill, amount, items = [] } = request;
  const price = amount === null ? [] : [`Amount:  ${formatAmount(amount)} ${amount.currency}`];
  const called = agent.source === "self" ? "calls itself" : "you call it";
  const people = approvalsNeeded === 1 ? [] : [`It needs ${approvalsNeeded} people who approve.`];
  const lines = [
    `An agent asks ${site.domain} for something that your rules leave to a person.`,
    "",
    `What:    ${skill}`,
    ...items.map((item) => `         ${item.quantity} × ${plainLine(item.title)} (${item.id})`),
    ...price,
    // A platform is called by the address that names it.
    `Who:     ${actorId}${agent.name === actorId ? "" : ` (${called} ${quoted(agent.name)})`}`,
    `Rule:    ${ruleId}${ruleTitle === null ? "" : ` (${plainLine(ruleTitle)})`}`,
    `Until:   ${isoTime(expiresAt)}, then it is refused`,
    `Review:  ${escalationId}`,
    "",
    "To decide, where you use the gatehouse command:",
    "",
    ...["show", "approve", "deny"].map((verb) => {
      const reason = verb === "deny" ? " --reason other" : "";
      return `  gatehouse review ${verb} ${site.domain} ${escalationId}${reason}`;
    }),
    "",
    ...people,
    "Nothing in this message decides by itself: no link, no reply.",
  ];
  const subject = `${site.domain}: ${skill} waits for your decision`;
  return { subject, text: `${lines.join("\n")}\n` };
}
