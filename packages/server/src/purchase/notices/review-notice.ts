import { builtInSkill, formatAmount, isJsonObject, type JsonObject } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import { currentPolicy } from "../../domain/policies/store.js";
import type { Review } from "../../domain/reviews/review.js";
import type { Site } from "../../domain/sites/site.js";
import { isoTime } from "../../infra/clock.js";
import type { Transaction } from "../../infra/db/database.js";
import { plainLine, quoted } from "../../infra/mail/text.js";
import type { NoticeWords } from "./chat-message.js";
import { notifyOwner } from "./notify-owner.js";

/** A request that needs review. */
export interface ReviewNotice {
  readonly site: Site;
  readonly review: Review;
  readonly agent: Pick<Agent, "name" | "source">;
  /** The title of the rule that requires the review. */
  readonly ruleTitle: string | null;
  /** The zone that the owner's rules count time in. */
  readonly timeZone: string;
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
      console_url: reviewPage(baseUrl, domain, escalationId),
      review_url: `${baseUrl}/v1/admin/sites/${siteKeyHash}/escalations/${escalationId}`,
    },
  };
}

/** The page of the console where people decide it. */
function reviewPage(baseUrl: string, domain: string, escalationId: string): string {
  return `${baseUrl}/console/${domain}/reviews/${escalationId}`;
}

/** What a mail calls the skills that buy; the others have titles. */
const BUYING: Readonly<Record<string, string>> = {
  place_order: "Buy something",
  complete_checkout: "Buy at checkout",
};

function skillTitle({ skills }: Site, id: string): string {
  const own = skills.find((skill) => skill.id === id)?.title;
  return own ?? BUYING[id] ?? builtInSkill(id)?.title ?? id;
}

/** A time as the owner's rules count it. */
function localTime(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone,
  });
  return `${format.format(at)} (${timeZone})`;
}

/** Its subject contains nothing that an agent wrote. The link gives no access: deciding needs a sign-in. */
export function reviewMail(
  { site, review, agent, ruleTitle, timeZone }: ReviewNotice,
  { baseUrl }: Pick<Config, "baseUrl">,
): NoticeWords {
  const { escalationId, actorId, ruleId, request, expiresAt, approvalsNeeded } = review;
  const { skill, amount, items = [] } = request;
  const sum = amount === null ? undefined : `${formatAmount(amount)} ${amount.currency}`;
  const called = agent.source === "self" ? "calls itself" : "you call it";
  const people = approvalsNeeded === 1 ? [] : [`${approvalsNeeded} people must approve it.`];
  const isTest = amount !== null && site.provider !== null && !site.provider.live;
  const lines = [
    `A request at ${site.domain} needs review.`,
    ...(isTest ? ["This is a test: no money moves."] : []),
    "",
    `What:    ${skillTitle(site, skill)}`,
    ...items.map((item) => `         ${item.quantity} × ${plainLine(item.title)} (${item.id})`),
    ...(sum === undefined ? [] : [`Amount:  ${sum}`]),
    // The name of a platform is its address.
    `Who:     ${actorId}${agent.name === actorId ? "" : ` (${called} ${quoted(agent.name)})`}`,
    `Why:     your rule ${ruleTitle === null ? ruleId : quoted(ruleTitle)}`,
    `Until:   ${localTime(expiresAt, timeZone)}, then it is declined`,
    "",
    "Approve or decline it here:",
    "",
    reviewPage(baseUrl, site.domain, escalationId),
    "",
    ...people,
    "You need to be signed in to decide. You cannot decide by replying to this message.",
  ];
  const about = sum === undefined ? skillTitle(site, skill) : sum;
  const subject = `${isTest ? "Test: " : ""}${site.domain}: ${about} needs review`;
  const link = reviewPage(baseUrl, site.domain, escalationId);
  return { subject, text: `${lines.join("\n")}\n`, link };
}

/** What the policy in force says about a rule: the owner's title, and the zone of its times. */
async function policyWords(tx: Transaction, siteKeyHash: string, ruleId: string) {
  const document = (await currentPolicy(tx, siteKeyHash))?.document;
  const rules = Array.isArray(document?.rules) ? document.rules : [];
  const rule = rules.find((one) => isJsonObject(one) && one.id === ruleId);
  const title = isJsonObject(rule) ? rule.title : undefined;
  const zone = document?.timezone;
  return {
    ruleTitle: typeof title === "string" ? title : null,
    timeZone: typeof zone === "string" ? zone : "UTC",
  };
}

/** Notifies the owner that a request needs review. */
export async function notifyReviewers(
  tx: Transaction,
  { config, ids }: Pick<Context, "config" | "ids">,
  request: Omit<ReviewNotice, "ruleTitle" | "timeZone">,
): Promise<void> {
  const { siteKeyHash } = request.site;
  const notice = { ...request, ...(await policyWords(tx, siteKeyHash, request.review.ruleId)) };
  await notifyOwner(tx, ids, {
    siteKeyHash,
    topic: REVIEW_REQUESTED,
    now: request.now,
    subject: { id: request.review.escalationId },
    event: (messageId) => reviewEvent(notice, messageId, config),
    mail: () => reviewMail(notice, config),
  });
}
