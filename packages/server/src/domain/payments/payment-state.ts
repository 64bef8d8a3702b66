import type { Queries } from "../../infra/db/database.js";
import { paymentOfDecision } from "./store.js";

export { hasOpenPayments, measureOpen as measureOpenPayments } from "./store.js";

/** How far the payment of a decision is, for its owner to see. Never how it was paid. */
export interface PaymentState {
  readonly attemptId: string;
  readonly processor: string;
  readonly status: string;
  /** What the processor said, where it said no or nothing. */
  readonly reason: string | null;
  readonly requestedAt: number;
  /** Where the buyer confirms it to the card's bank, while that is waited for. */
  readonly challengeUrl: string | null;
}

export async function paymentState(
  db: Queries,
  decisionId: string,
): Promise<PaymentState | undefined> {
  const payment = await paymentOfDecision(db, decisionId);
  if (payment === undefined) return undefined;
  const { attemptId, processor, status, reason, requestedAt, challengeUrl } = payment;
  return { attemptId, processor, status, reason, requestedAt, challengeUrl };
}
