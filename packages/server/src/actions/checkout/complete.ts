import { ok, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import type { Payment } from "../../domain/payments/payment.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { commitDecision } from "../../purchase/commit.js";
import { evaluate, questionOf } from "../../purchase/evaluate.js";
import { settlePayment } from "../../purchase/settle.js";
import {
  completeReply,
  type IdempotentRequest,
  type IdempotentResult,
  idempotentCommit,
  type Reply,
} from "./idempotent.js";
import { reviewsFull } from "./platform-standing.js";
import { type Progress, progressOf } from "./progress.js";
import { type Completion, checkoutRequest, type Notice, type Stopped } from "./request.js";
import { ownCheckout } from "./sessions.js";
import { storeShownTerms, type TermsSigner } from "./terms.js";

const REVIEWS_FULL: Notice = {
  code: "too_many_reviews",
  content: "Too many orders need review by the shop. Try again later.",
};

/** A checkout after an attempt to complete it. */
interface Completed extends Pick<Stopped, "refusal" | "notice" | "wait"> {
  readonly checkout: Checkout;
  readonly progress: Progress | null;
}

/** Makes the answer; it is stored in the transaction that `db` reads in. */
type Render<A> = (db: Queries, completed: Result<Completed, "not_found" | "shut">) => Promise<A>;

/**
 * Completes a checkout: decides in one commit, then asks the payment provider, and answers with the
 * checkout as it is then.
 */
export async function completeCheckout<A extends Reply>(
  context: Context,
  request: IdempotentRequest,
  completion: Completion & TermsSigner,
  render: Render<A>,
): Promise<IdempotentResult<A>> {
  const decision = await idempotentCommit<Decision<A>>(context, request, (tx) =>
    commitCompletion(context, tx, completion, render),
  );
  if (decision.kind !== "answered") return decision;
  if (decision.answer.kind === "decided") return { ...decision, answer: decision.answer.reply };
  await settlePayment(context, decision.answer.payment);
  const { db } = context;
  const own = await ownCheckout(db, completion);
  const progress = own.ok ? await progressOf(db, own.value) : null;
  const answer = await render(db, own.ok ? ok({ checkout: own.value, progress }) : own);
  context.crashPoint("ucp.settled");
  // While the provider has not answered, a repetition of the request is shown how far it is.
  if (progress?.kind !== "paying") await completeReply(context, request, answer);
  return { kind: "answered", answer };
}

/** A decision that ends the request, or one whose payment is still to be settled. */
type Decision<A> =
  | { readonly kind: "decided"; readonly reply: A }
  | { readonly kind: "settling"; readonly payment: Payment };

/** Decides a completion, and makes the reply that is stored with the decision. */
async function commitCompletion<A extends Reply>(
  context: Context,
  tx: Transaction,
  completion: Completion & TermsSigner,
  render: Render<A>,
) {
  const decided = (reply: A) => ({ value: { kind: "decided", reply } as const, reply });
  const unchanged = (reply: A) => decided({ ...reply, unchanged: true });
  const completing = await decide(context, tx, completion);
  if (!completing.ok) return { records: [], ...unchanged(await render(tx, completing)) };
  const { checkout, records, refusal, notice, payment, changed, wait } = completing.value;
  if (wait !== undefined) {
    const { kind } = wait;
    const after = () => context.metrics.counter("gatehouse_decline_refusals_total")({ kind });
    const reply = await render(tx, ok({ checkout, progress: null, wait }));
    return { records: [], ...unchanged(reply), after };
  }
  // The terms that are signed into the answer stay, even if the shop changes them afterwards.
  await storeShownTerms(context, tx, completion, checkout);
  if (payment !== undefined) {
    const value = { kind: "settling", payment } as const;
    return { records, value, reply: "later" as const };
  }
  const progress = await progressOf(tx, checkout);
  const reply = await render(tx, ok({ checkout, progress, refusal, notice }));
  // A quote that was written counts as shown: a repetition must get the answer that shows it.
  const isWritten = records.length > 0 || changed === true;
  return { records, ...(isWritten ? decided(reply) : unchanged(reply)) };
}

interface Completing extends Stopped {
  /** Settle it after the commit. */
  readonly payment?: Payment | undefined;
}

/** Evaluates the owner's rules about a checkout, and writes the decision. */
async function decide(
  context: Context,
  tx: Transaction,
  completion: Completion,
): Promise<Result<Completing, "not_found" | "shut">> {
  const requested = await checkoutRequest(context, tx, completion);
  if (!requested.ok) return requested;
  if (requested.value.kind === "stopped") return ok(requested.value.stopped);
  const { request, shown } = requested.value;
  const { siteKeyHash } = completion;
  const verdict = await evaluate(context, tx, questionOf(request));
  // Purchases that need no review are not stopped by the number of pending reviews.
  const needsReview = verdict.outcome === "escalated";
  if (needsReview && (await reviewsFull(tx, siteKeyHash, request.identity))) {
    return ok({ checkout: shown, records: [], notice: REVIEWS_FULL });
  }
  const committed = await commitDecision(context, tx, request, verdict);
  const { records, payment, checkout = request.checkout ?? shown } = committed;
  return ok({ checkout, records, payment });
}
