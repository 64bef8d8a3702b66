import type { Context } from "../context.js";
import { measureOpenPayments } from "../decide/payment-state.js";
import { countWaiting } from "../owners/reviews/store.js";

/** What waits for somebody, of all sites. */
export interface Waiting {
  readonly reviews: number;
  readonly payments: number;
  /** Age of the oldest payment that has not ended. */
  readonly oldestPaymentMs: number;
}

/** Nobody knows: the database did not say. */
const UNKNOWN: Waiting = { reviews: Number.NaN, payments: Number.NaN, oldestPaymentMs: Number.NaN };

/** Asked for by whoever watches; a database that is away must not hide everything else they ask for. */
export async function measureWaiting({ db, clock, log }: Context): Promise<Waiting> {
  try {
    const reviews = await countWaiting(db);
    const { count: payments, since } = await measureOpenPayments(db);
    return { reviews, payments, oldestPaymentMs: since === null ? 0 : clock.now() - since };
  } catch (error) {
    log.warn({ error }, "metrics.waiting_unknown");
    return UNKNOWN;
  }
}
