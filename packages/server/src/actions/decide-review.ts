import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { decide } from "../decide/decide.js";
import { settlePayment } from "../decide/settle-payment.js";
import type { Agent } from "../owners/agents/agent.js";
import { agentById, keyByKid } from "../owners/agents/store.js";
import { type Actor, serviceActor } from "../owners/audit/drafts.js";
import { checkoutById } from "../owners/checkouts/store.js";
import { mandateSettings } from "../owners/mandate-settings/store.js";
import type { Review } from "../owners/reviews/review.js";
import { lateReviews, reviewById, writeApprovals } from "../owners/reviews/store.js";
import { sells } from "../owners/sites/gates.js";
import type { Site } from "../owners/sites/site.js";
import { skillsOf } from "../owners/sites/snapshot.js";
import { siteByHash } from "../owners/sites/store.js";
import { revokedAmong } from "../owners/tokens/store.js";
import type { Transaction } from "../platform/db/database.js";
import { platformActor, platformOf } from "./checkout/platform-actor.js";
import { isSameQuote, quoteFor } from "./checkout/quote.js";
import { type EndedReview, endReview, type ReviewEnd } from "./end-review.js";
import { priceOrder } from "./price-order.js";
import { keyFault } from "./prove-mandate.js";

/** Reviews ended in one go of the job. */
const LATE_MAX = 200;

type Verdict =
  | { readonly verdict: "approve"; readonly note?: string | undefined }
  | { readonly verdict: "deny"; readonly reasonCode: string; readonly note?: string | undefined };

/** Why what was asked for can no longer be approved, whatever a reviewer says; undefined where it can. */
async function obstacle(tx: Transaction, review: Review, now: number): Promise<string | undefined> {
  const { siteKeyHash, actorId, request } = review;
  const site = await siteByHash(tx, siteKeyHash);
  if (site?.status !== "verified") return "site_not_verified";
  if (request.kid === null) return platformObstacle(tx, site, review);
  if (!(await mandateSettings(tx, siteKeyHash)).enabled) return "mandates_disabled";
  const key = keyFault(await keyByKid(tx, siteKeyHash, request.kid), actorId, now);
  if (key !== undefined) return key;
  if ((await agentById(tx, siteKeyHash, actorId))?.status !== "active") return "agent_not_active";
  if (skillsOf(site).every(({ id }) => id !== request.skill)) return "skill_not_live";
  // It is paid as it was signed, or not at all.
  const { handler } = request;
  if (handler !== undefined && handler !== site.processor?.kind) return "processor_changed";
  return request.checkout === undefined ? orderObstacle(tx, review) : checkoutObstacle(tx, review);
}

/** What a platform wants to pay for, where the site still sells, and through whom it did. */
function platformObstacle(
  tx: Transaction,
  site: Site,
  review: Review,
): Promise<string | undefined> | string {
  if (!sells(site)) return "site_sells_nothing";
  if (review.request.handler !== site.processor?.kind) return "processor_changed";
  return checkoutObstacle(tx, review);
}

/** A checkout must still be the one that was looked at, at the sum that was. */
async function checkoutObstacle(
  tx: Transaction,
  { siteKeyHash, decisionId, request: { checkout, amount } }: Review,
): Promise<string | undefined> {
  const found = await checkoutById(tx, siteKeyHash, checkout?.checkoutId ?? "");
  if (found?.status !== "completing" || found.decisionId !== decisionId) return "checkout_changed";
  const quote = await quoteFor(tx, siteKeyHash, found.content, "order");
  const same = isSameQuote(quote, found.quote) && quote.totals.totalMinor === amount?.minor;
  return same ? undefined : "cart_mismatch";
}

/** What is bought must still cost what was signed, and be there. */
async function orderObstacle(
  tx: Transaction,
  { siteKeyHash, request: { items, amount } }: Review,
): Promise<string | undefined> {
  if (items === undefined) return undefined;
  const wanted = items.map(({ id, quantity }) => ({ id, quantity }));
  const priced = await priceOrder(tx, siteKeyHash, { items: wanted });
  if (!priced.ok) return priced.reason;
  const { minor, currency } = priced.value.amount;
  return minor === amount?.minor && currency === amount.currency ? undefined : "cart_mismatch";
}

/** The agent that signed, or the platform that completes a checkout. */
async function whoAsked(tx: Transaction, review: Review, now: number): Promise<Agent | undefined> {
  const { siteKeyHash, actorId, request } = review;
  if (request.kid !== null) return agentById(tx, siteKeyHash, actorId);
  return platformActor(tx, siteKeyHash, platformOf(actorId), now);
}

/** An approval asks the rules again: a reviewer cannot go past one that denies. */
async function approval(
  tx: Transaction,
  review: Review,
  { actor, note }: { actor: Actor; note?: string | undefined },
  now: number,
): Promise<ReviewEnd> {
  const stopped = await obstacle(tx, review, now);
  if (stopped !== undefined) return { status: "invalidated", actor, reasonCode: stopped, note };
  const agent = await whoAsked(tx, review, now);
  if (agent === undefined) throw new Error("the agent of a review went away in its transaction");
  const { siteKeyHash, request } = review;
  const { skill, protocol, amount } = request;
  const asked = { siteKeyHash, agent, skill, protocol, amount, firstAskedAt: review.createdAt };
  const decided = await decide(tx, asked, now);
  const again = { decision: decided.record, rulesEvaluated: decided.rules.length, actor, note };
  const reasonCode = decided.refusal ?? undefined;
  if (reasonCode !== undefined) return { ...again, status: "invalidated", reasonCode };
  return { ...again, status: request.items === undefined ? "approved" : "paying" };
}

const EXPIRED: ReviewEnd = { status: "expired", actor: serviceActor("reviews.expire") };

/** A person's word about a review. One that is over, or late, stays as it is. */
export async function decideReview(
  context: Context,
  { siteKeyHash, escalationId }: { siteKeyHash: string; escalationId: string },
  verdict: Verdict,
  actor: Actor,
): Promise<Result<Review, "not_found" | "conflict">> {
  type Answer = Result<Pick<EndedReview, "review" | "payment">, "not_found" | "conflict">;
  const { answer } = await context.audit.commit<Answer>(siteKeyHash, async (tx) => {
    const now = context.clock.now();
    const review = await reviewById(tx, siteKeyHash, escalationId);
    if (review === undefined) {
      return { records: [], answer: refuse("not_found", "The site has no such escalation.") };
    }
    if (review.status !== "pending") {
      return { records: [], answer: refuse("conflict", `It is ${review.status} already.`) };
    }
    if (now >= review.expiresAt) {
      const { records } = await endReview(context, tx, review, EXPIRED, now);
      return { records, answer: refuse("conflict", "It has expired.") };
    }
    if (verdict.verdict === "deny") {
      const { reasonCode, note } = verdict;
      const end = { status: "denied", actor, reasonCode, note } as const;
      const ended = await endReview(context, tx, review, end, now);
      return { records: ended.records, answer: ok(ended) };
    }
    // Who was sent away meanwhile has no say any more, not even what was said before.
    const revoked = await revokedAmong(tx, review.approvedBy);
    const others = review.approvedBy.filter((id) => !revoked.includes(id));
    if (others.includes(actor.id)) {
      return { records: [], answer: refuse("conflict", "You have approved it already.") };
    }
    const approved = { ...review, approvedBy: [...others, actor.id] };
    const end = await approval(tx, approved, { actor, note: verdict.note }, now);
    // One of several has said yes: the others are still to be asked, as long as it can be approved.
    const yes = end.status === "approved" || end.status === "paying";
    if (yes && approved.approvedBy.length < review.approvalsNeeded) {
      await writeApprovals(tx, approved);
      return { records: [], answer: ok({ review: approved }) };
    }
    const ended = await endReview(context, tx, approved, end, now);
    return { records: ended.records, answer: ok(ended) };
  });
  if (!answer.ok) return answer;
  const { review, payment } = answer.value;
  if (payment === undefined) return ok(review);
  await settlePayment(context, payment);
  return ok((await reviewById(context.db, siteKeyHash, escalationId)) ?? review);
}

/** Ends a review nobody decided in time; undefined where there is nothing to end. */
export async function expireIfLate(
  context: Context,
  tx: Transaction,
  review: Review | undefined,
  now: number,
) {
  if (review?.status !== "pending" || now < review.expiresAt) return undefined;
  return endReview(context, tx, review, EXPIRED, now);
}

/** Ends all reviews that are late. */
export async function expireReviews(context: Context, stopping: () => boolean): Promise<void> {
  const { audit, clock, db } = context;
  for (const { siteKeyHash, escalationId } of await lateReviews(db, clock.now(), LATE_MAX)) {
    if (stopping()) return;
    await audit.commit(siteKeyHash, async (tx) => {
      const review = await reviewById(tx, siteKeyHash, escalationId);
      const ended = await expireIfLate(context, tx, review, clock.now());
      return { records: ended?.records ?? [], answer: null };
    });
  }
}
