import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../infra/time.js";

/** How long a provider may take; what it says later is found out by asking again. */
export const PROVIDER_MS_MAX = 10 * SECOND_MS;

/**
 * When the job reconciles an attempt for the first time. By then the request that made it has ended
 * it, or is gone.
 */
export const FIRST_LOOK_MS = 30 * SECOND_MS;

/** A request that was cut off has had its effect by then, or never will. */
export const IN_FLIGHT_MS_MAX = 10 * MINUTE_MS;

/** Providers forget idempotency keys after a day; an attempt still open by then is cancelled. */
export const CANCEL_AFTER_MS = 23 * HOUR_MS;

/** How long a buyer has to confirm a payment to the bank: so long the goods are set aside. */
export const CHALLENGE_MS_MAX = 30 * MINUTE_MS;

/**
 * How long a provider's page takes a payment, and the goods are reserved. Stripe closes no page earlier than
 * 30 minutes after it was opened, and a page may be opened some minutes late.
 */
export const PAGE_MS_MAX = 45 * MINUTE_MS;

const WAITS_MS = [10 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];

/** When to ask next about an attempt whose outcome is unknown, or a release that failed. */
export function nextLook(tries: number, now: number): number {
  return now + (WAITS_MS[tries] ?? HOUR_MS);
}
