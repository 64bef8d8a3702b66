import { ok, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import type { DeclineWait } from "../../domain/declines/caller.js";
import type { Payment } from "../../domain/payments/payment.js";
import type { Queries } from "../../infra/db/database.js";
import { settlePayment } from "../../purchase/settle.js";
import { completeCheckout } from "./complete.js";
import type { Notice } from "./completion-notice.js";
import {
  completeReply,
  type IdempotentRequest,
  idempotentCommit,
  type Outcome,
  type Reply,
} from "./idempotent.js";
import { type Progress, progressOf } from "./progress.js";
import { type Changed, ownCheckout } from "./sessions.js";
import { storeShownTerms, type TermsSigner } from "./terms.js";

/** A checkout after an attempt to complete it. */
interface Completed {
  readonly checkout: Checkout;
  readonly progress: Progress | null;
  readonly refusal?: Changed["refusal"];
  readonly notice?: Notice | undefined;
  /** No payment was requested, because the platform has to wait after declined payments. */
  readonly wait?: DeclineWait | undefined;
}

/** Makes the answer; it is stored in the transaction that `db` reads in. */
type Render<A> = (db: Queries, completed: Result<Completed, "not_found" | "shut">) => Promise<A>;

type Completion = Parameters<typeof completeCheckout>[2] & TermsSigner;

/**
 * Completes a checkout: decides in one commit, then asks the payment provider, and answers with the
 * checkout as it is then.
 */
export async function completeAndSettle<A extends Reply>(
  context: Context,
  request: IdempotentRequest,
  completion: Completion,
  render: Render<A>,
): Promise<Outcome<A>> {
  const decision = await decideCompletion(context, request, completion, render);
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

function decideCompletion<A extends Reply>(
  context: Context,
  request: IdempotentRequest,
  completion: Completion,
  render: Render<A>,
): Promise<Outcome<Decision<A>>> {
  return idempotentCommit<Decision<A>>(context, request, async (tx) => {
    const decided = (reply: A) => ({ value: { kind: "decided", reply } as const, reply });
    const unchanged = (reply: A) => decided({ ...reply, unchanged: true });
    const completing = await completeCheckout(context, tx, completion);
    if (!completing.ok) return { records: [], ...unchanged(await render(tx, completing)) };
    const { checkout, records, refusal, notice, payment, changed, wait } = completing.value;
    if (wait !== undefined) {
      const { kind } = wait;
      const after = () => context.metrics.counter("gatehouse_decline_refusals_total")({ kind });
      const reply = await render(tx, ok({ checkout, progress: null, wait }));
      return { records: [], ...unchanged(reply), after };
    }
    // The terms that are signed into the answer stay, whatever the shop changes afterwards.
    await storeShownTerms(context, tx, completion, checkout);
    if (payment !== undefined) {
      return { records, value: { kind: "settling", payment }, reply: "later" };
    }
    const progress = await progressOf(tx, checkout);
    const reply = await render(tx, ok({ checkout, progress, refusal, notice }));
    // A quote that was written counts as shown: a repetition must get the answer that shows it.
    const isWritten = records.length > 0 || changed === true;
    return { records, ...(isWritten ? decided(reply) : unchanged(reply)) };
  });
}
