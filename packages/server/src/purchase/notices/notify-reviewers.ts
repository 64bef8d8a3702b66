import { isJsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { currentPolicy } from "../../domain/policies/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { notifyOwner } from "./notify-owner.js";
import { type AskedReview, REVIEW_REQUESTED, reviewEvent, reviewMail } from "./review-notice.js";

/** What the owner calls a rule of the policy in force: the one that asked, in the same transaction. */
async function titleOf(tx: Transaction, siteKeyHash: string, ruleId: string) {
  const rules = (await currentPolicy(tx, siteKeyHash))?.document.rules;
  const rule = Array.isArray(rules)
    ? rules.find((one) => isJsonObject(one) && one.id === ruleId)
    : undefined;
  const title = isJsonObject(rule) ? rule.title : undefined;
  return typeof title === "string" ? title : null;
}

/** Tells the owner that a person is asked, where a rule asks for one. */
export async function notifyReviewers(
  tx: Transaction,
  { config, ids }: Pick<Context, "config" | "ids">,
  about: Omit<AskedReview, "ruleTitle">,
): Promise<void> {
  const { siteKeyHash } = about.site;
  const asked = { ...about, ruleTitle: await titleOf(tx, siteKeyHash, about.review.ruleId) };
  await notifyOwner(tx, ids, {
    siteKeyHash,
    topic: REVIEW_REQUESTED,
    now: about.now,
    about: { id: about.review.escalationId },
    event: (messageId) => reviewEvent(asked, messageId, config),
    mail: () => reviewMail(asked),
  });
}
