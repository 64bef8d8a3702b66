import { ok, type Refusal, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { rootOf } from "../../domain/access/descent/store.js";
import { withoutAccess } from "../../domain/access/still-holds.js";
import type { Agent } from "../../domain/agents/agent.js";
import { agentById } from "../../domain/agents/store.js";
import { type Actor, type RecordDraft, serviceActor } from "../../domain/audit/drafts.js";
import type { Review } from "../../domain/reviews/review.js";
import { lateReviews, reviewById } from "../../domain/reviews/store.js";
import {
  deleteVerdict,
  lockVerdict,
  type PlannedVerdict,
} from "../../domain/reviews/verdicts/store.js";
import { siteByHash } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import {
  commitApproval,
  type EndedReview,
  endReview,
  type ReviewEnd,
} from "../../purchase/commit-review.js";
import { evaluate } from "../../purchase/evaluate.js";
import { type Identity, identityOfAgent, identityOfBuyer } from "../../purchase/identity.js";
import { settlePayment } from "../../purchase/settle.js";
import { withShopQuotes } from "../../purchase/shop-quote.js";
import { platformActor, platformOf } from "../checkout/platform-actor.js";
import { type Block, blockOf, obstacleTo } from "./review-obstacle.js";

/** Reviews that one run of the job ends. */
const LATE_MAX = 200;

export type ReviewVerdict =
  | { readonly verdict: "approve"; readonly note?: string | undefined }
  | { readonly verdict: "deny"; readonly reasonCode: string; readonly note?: string | undefined };

/** The agent that signed, or the platform that completes a checkout. */
async function requesterOf(
  tx: Transaction,
  { siteKeyHash, actorId, request }: Review,
  now: number,
): Promise<{ readonly agent: Agent; readonly identity: Identity } | undefined> {
  if (request.kid === null) {
    const actor = await platformActor(tx, siteKeyHash, actorId, now);
    if (!request.hosted) return actor;
    return { ...actor, identity: await identityOfBuyer(tx, siteKeyHash, platformOf(actorId)) };
  }
  const agent = await agentById(tx, siteKeyHash, actorId);
  return agent && { agent, identity: await identityOfAgent(tx, agent) };
}

/**
 * Evaluates the rules again for an approval: a reviewer cannot override a rule that denies. A temporary
 * obstacle leaves the review pending.
 */
async function approval(
  context: Context,
  tx: Transaction,
  review: Review,
  { actor, note }: { actor: Actor; note?: string | undefined },
  now: number,
): Promise<{ readonly ok: true; readonly value: ReviewEnd } | Block> {
  const obstacle = await obstacleTo(context, tx, review, now);
  if (obstacle?.lasting === false) return obstacle.block;
  if (obstacle !== undefined) {
    return ok({ status: "invalidated", actor, reasonCode: obstacle.reasonCode, note });
  }
  const requester = await requesterOf(tx, review, now);
  if (requester === undefined) throw new Error("the agent of a review is gone");
  const { siteKeyHash, request } = review;
  const { skill, protocol, amount, hosted: buyerPresent = false } = request;
  const verdict = await evaluate(context, tx, {
    siteKeyHash,
    ...requester,
    skill,
    protocol,
    amount,
    buyerPresent,
    firstAskedAt: review.createdAt,
    now,
  });
  if (verdict.reason === "budget_exceeded") return blockOf("budget_exceeded");
  const { record: decision, rulesEvaluated } = verdict;
  const evaluation = { decision, rulesEvaluated, actor, note };
  const reasonCode = verdict.reason ?? undefined;
  if (reasonCode !== undefined) return ok({ ...evaluation, status: "invalidated", reasonCode });
  return ok({ ...evaluation, status: request.items === undefined ? "approved" : "paying" });
}

const EXPIRED: ReviewEnd = { status: "expired", actor: serviceActor("reviews.expire") };

/** A decision that was not accepted. A blocked approval leaves the review pending. */
type NotAccepted = Refusal<"not_found" | "conflict"> | Block;

type Answer =
  | { readonly ok: true; readonly value: Pick<EndedReview, "review" | "payment"> }
  | NotAccepted;

interface Judged {
  readonly records: readonly RecordDraft[];
  readonly answer: Answer;
}

const notAccepted = (answer: NotAccepted): Judged => ({ records: [], answer });

/**
 * Why an approval does not count in addition to earlier ones. Approvals count people. A token counts as the
 * person who made the first of its line, and an unproven person as the holder of their link. So nobody approves
 * twice by making a token or an account.
 */
async function repeatedApproval(
  tx: Transaction,
  approvedBy: readonly string[],
  actorId: string,
): Promise<string | undefined> {
  if (approvedBy.includes(actorId)) return "You have already approved it.";
  const root = await rootOf(tx, actorId);
  for (const other of approvedBy) {
    if ((await rootOf(tx, other)) !== root) continue;
    return (
      "The same person has already approved it with another token or account. A token counts as the token " +
      "it was created with. Ask someone whose token the operator created."
    );
  }
  return undefined;
}

/** Adds the approval of one person. */
async function approve(
  context: Context,
  tx: Transaction,
  review: Review,
  { actor, note }: { actor: Actor; note?: string | undefined },
  now: number,
): Promise<Judged> {
  // Approvals of tokens that were revoked or expired since do not count, nor those of people who lost the role.
  const ended = await withoutAccess(tx, review.siteKeyHash, review.approvedBy, now);
  const others = review.approvedBy.filter((id) => !ended.includes(id));
  const repeated = await repeatedApproval(tx, others, actor.id);
  if (repeated !== undefined) return notAccepted(refuse("conflict", repeated));
  const approved = { ...review, approvedBy: [...others, actor.id] };
  const result = await approval(context, tx, approved, { actor, note }, now);
  if (!result.ok) return notAccepted(result);
  const done = await commitApproval(context, tx, approved, result.value, now);
  return { records: done.records, answer: ok(done) };
}

/**
 * Whether the provider can be reached, before anything is written. After the commit the payment may have
 * been requested, and the review can never be pending again.
 */
async function providerBlock(
  { db, providers }: Context,
  { siteKeyHash, escalationId }: ReviewRef,
): Promise<Block | undefined> {
  const review = await reviewById(db, siteKeyHash, escalationId);
  if (review?.status !== "pending" || review.request.handler === undefined) return undefined;
  if (review.approvedBy.length + 1 < review.approvalsNeeded) return undefined;
  const kind = (await siteByHash(db, siteKeyHash))?.provider?.kind;
  const provider = kind && providers[kind];
  if (!provider || (await provider.isReachable())) return undefined;
  return blockOf("provider_unreachable");
}

export interface ReviewRef {
  readonly siteKeyHash: string;
  readonly escalationId: string;
}

/** Decides unless the plan was undone. Deletes the plan in the same transaction, so that it can no longer be undone. */
async function judgePlanned(
  tx: Transaction,
  plan: PlannedVerdict | undefined,
  judge: () => Promise<Judged>,
): Promise<Judged> {
  if (plan === undefined) return judge();
  if (!(await lockVerdict(tx, plan)))
    return notAccepted(refuse("conflict", "This decision was undone."));
  const judged = await judge();
  if (judged.answer.ok) await deleteVerdict(tx, plan);
  return judged;
}

/** Approves or denies a review, unless it has ended or expired. `plan`: what is carried out, if it was planned. */
export async function decideReview(
  context: Context,
  ref: ReviewRef,
  verdict: ReviewVerdict,
  actor: Actor,
  plan?: PlannedVerdict,
): Promise<{ readonly ok: true; readonly value: Review } | NotAccepted> {
  const { siteKeyHash, escalationId } = ref;
  const block = verdict.verdict === "approve" ? await providerBlock(context, ref) : undefined;
  const decide = async (tx: Transaction) => {
    const now = context.clock.now();
    const review = await reviewById(tx, siteKeyHash, escalationId);
    if (review === undefined) {
      return notAccepted(refuse("not_found", "The site has no such escalation."));
    }
    if (review.status !== "pending") {
      return notAccepted(refuse("conflict", `The request is already ${review.status}.`));
    }
    if (now >= review.expiresAt) {
      const { records } = await endReview(context, tx, review, EXPIRED, now);
      return { records, answer: refuse("conflict", "The request has expired.") };
    }
    const { note } = verdict;
    if (verdict.verdict === "approve") {
      return block === undefined
        ? approve(context, tx, review, { actor, note }, now)
        : notAccepted(block);
    }
    const end = { status: "denied", actor, reasonCode: verdict.reasonCode, note } as const;
    const ended = await endReview(context, tx, review, end, now);
    return { records: ended.records, answer: ok(ended) };
  };
  const { answer } = await withShopQuotes(context, () =>
    context.audit.commit<Answer>(siteKeyHash, (tx) => judgePlanned(tx, plan, () => decide(tx))),
  );
  if (!answer.ok) return answer;
  const { review, payment } = answer.value;
  if (payment === undefined) return ok(review);
  await settlePayment(context, payment);
  const settled = (await reviewById(context.db, siteKeyHash, escalationId)) ?? review;
  // It is open again only if the shop system did not answer.
  return settled.status === "pending" ? blockOf("shop_unreachable") : ok(settled);
}

/** Ends a review that nobody decided in time; undefined if it is not late. */
export async function expireIfLate(
  context: Context,
  tx: Transaction,
  review: Review | undefined,
  now: number,
) {
  if (review?.status !== "pending" || now < review.expiresAt) return undefined;
  return endReview(context, tx, review, EXPIRED, now);
}

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
