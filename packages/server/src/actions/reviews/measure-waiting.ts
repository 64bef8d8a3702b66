import type { Context } from "../../context.js";
import { measureOpenPayments } from "../../domain/payments/store.js";
import { countWaiting } from "../../domain/reviews/store.js";
import { bytesOfClass } from "../../infra/quota/stored-bytes.js";

/** What waits for somebody, of all sites. */
export interface WaitingReviews {
  readonly reviews: number;
  readonly payments: number;
  /** Age of the oldest payment that has not ended. */
  readonly oldestPaymentMs: number;
  /** Bytes of carts, checkouts and replies, by class of caller. */
  readonly unsignedBytes: number;
  readonly signedBytes: number;
}

/** Nobody knows: the database did not say. */
const UNKNOWN: WaitingReviews = {
  reviews: Number.NaN,
  payments: Number.NaN,
  oldestPaymentMs: Number.NaN,
  unsignedBytes: Number.NaN,
  signedBytes: Number.NaN,
};

/** Read with the metrics. If the database does not answer, the other metrics must still be shown. */
export async function measureWaiting({ db, clock, log }: Context): Promise<WaitingReviews> {
  try {
    const reviews = await countWaiting(db);
    const { count: payments, since } = await measureOpenPayments(db);
    const unsignedBytes = await bytesOfClass(db, "unsigned");
    const signedBytes = await bytesOfClass(db, "signed");
    const oldestPaymentMs = since === null ? 0 : clock.now() - since;
    return { reviews, payments, oldestPaymentMs, unsignedBytes, signedBytes };
  } catch (error) {
    log.warn({ error }, "metrics.waiting_unknown");
    return UNKNOWN;
  }
}
