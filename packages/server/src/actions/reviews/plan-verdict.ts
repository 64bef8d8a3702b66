import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { withoutAccess } from "../../domain/access/still-holds.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { reviewById } from "../../domain/reviews/store.js";
import {
  deleteOldVerdicts,
  deleteVerdict,
  dueVerdicts,
  type PlannedVerdict,
  verdictById,
  writeVerdict,
} from "../../domain/reviews/verdicts/store.js";
import { DAY_MS } from "../../infra/time.js";
import { decideReview, type ReviewRef, type ReviewVerdict } from "./decide-review.js";

/** The job that carries verdicts out. */
export const VERDICTS_JOB = "reviews.decide";
/** Verdicts that one run of the job carries out. */
const DUE_MAX = 200;
/** Verdicts carried out at the same time. */
const LANES = 8;
/** How long a verdict that did not take effect is shown. */
const PROBLEM_MS = DAY_MS;

const TOO_LATE = refuse("conflict", "It is too late to undo this decision.");
const BUSY = refuse("conflict", "Somebody else is deciding it at this moment.");

const isOthers = (plan: PlannedVerdict | undefined, actorId: string) =>
  plan !== undefined && plan.problem === null && plan.actor.id !== actorId;

/** Refuses while somebody else's verdict can still be undone. */
export async function nobodyElseDecides(
  { db }: Context,
  { siteKeyHash, escalationId }: ReviewRef,
  actorId: string,
): Promise<Result<true, "conflict">> {
  const plan = await verdictById(db, siteKeyHash, escalationId);
  return isOthers(plan, actorId) ? BUSY : ok(true);
}

/**
 * Plans a verdict that takes effect after a delay. Until then nothing is decided, recorded or charged, and it
 * can be undone. After a crash the plan remains, and any node carries it out.
 */
export async function planVerdict(
  { clock, db, jobs }: Context,
  ref: ReviewRef,
  verdict: ReviewVerdict,
  { actor, delayMs }: { readonly actor: Actor; readonly delayMs: number },
): Promise<Result<PlannedVerdict, "not_found" | "conflict">> {
  type Planned = Result<PlannedVerdict, "not_found" | "conflict">;
  const planned = await db.transaction(async (tx): Promise<Planned> => {
    const now = clock.now();
    const { siteKeyHash, escalationId } = ref;
    const review = await reviewById(tx, siteKeyHash, escalationId);
    if (review === undefined) return refuse("not_found", "The site has no such escalation.");
    if (review.status !== "pending" || now >= review.expiresAt) {
      const state = review.status === "pending" ? "expired" : review.status;
      return refuse("conflict", `The request is already ${state}.`);
    }
    if (isOthers(await verdictById(tx, siteKeyHash, escalationId), actor.id)) return BUSY;
    const plan: PlannedVerdict = {
      ...ref,
      verdict: verdict.verdict,
      reasonCode: verdict.verdict === "deny" ? verdict.reasonCode : null,
      note: verdict.note ?? null,
      actor,
      dueAt: now + delayMs,
      problem: null,
    };
    await writeVerdict(tx, plan);
    return ok(plan);
  });
  if (planned.ok) clock.after(delayMs, () => jobs.wake(VERDICTS_JOB));
  return planned;
}

/** Undoes a verdict that has not taken effect. */
export async function undoVerdict(
  { clock, db }: Context,
  ref: ReviewRef,
): Promise<Result<true, "not_found" | "conflict">> {
  return db.transaction(async (tx) => {
    const plan = await verdictById(tx, ref.siteKeyHash, ref.escalationId);
    if (plan === undefined) return refuse("not_found", "There is nothing to undo.");
    if (plan.problem === null && plan.dueAt <= clock.now()) return TOO_LATE;
    // Another node, whose clock is ahead, may have carried it out.
    return (await deleteVerdict(tx, plan)) ? ok(true) : TOO_LATE;
  });
}

/**
 * Carries out one verdict. Run twice, the second finds the review decided. Somebody who lost their role in the
 * meantime decides nothing.
 */
async function carryOut(context: Context, plan: PlannedVerdict): Promise<void> {
  const { clock, db } = context;
  const { siteKeyHash, escalationId, reasonCode, note, actor } = plan;
  const ended = await withoutAccess(db, siteKeyHash, [actor.id], clock.now());
  const ref = { siteKeyHash, escalationId };
  const noted = note === null ? {} : { note };
  const verdict: ReviewVerdict =
    plan.verdict === "approve"
      ? { verdict: "approve", ...noted }
      : { verdict: "deny", reasonCode: reasonCode ?? "other", ...noted };
  const result =
    ended.length === 0
      ? await decideReview(context, ref, verdict, actor as Actor, plan)
      : undefined;
  const blocked = result?.ok === false && result.reason === "approval_blocked";
  await db.transaction(async (tx) => {
    if (!blocked) await deleteVerdict(tx, plan);
    else await writeVerdict(tx, { ...plan, problem: result.detail });
  });
}

/** Carries out the verdicts that are due. */
export async function carryOutVerdicts(context: Context, stopping: () => boolean): Promise<void> {
  const { clock, db, log } = context;
  const now = clock.now();
  const due = [...(await dueVerdicts(db, now, DUE_MAX))];
  // Payments take seconds, and people wait: several at a time.
  const lane = async () => {
    for (let plan = due.shift(); plan !== undefined && !stopping(); plan = due.shift()) {
      const { escalationId } = plan;
      // The others continue; one that failed stays and is tried at the next run.
      await carryOut(context, plan).catch((error: unknown) =>
        log.error({ error, escalation: escalationId }, "reviews.verdict_failed"),
      );
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await db.transaction((tx) => deleteOldVerdicts(tx, now - PROBLEM_MS));
}
