import type { Context } from "../../context.js";
import type { Review } from "../../domain/reviews/review.js";
import { reviewById } from "../../domain/reviews/store.js";

const LOOK_EVERY_MS = 500;

/** Whether its outcome is still open; a review that is being paid for has no outcome yet. */
function isOpen({ status, expiresAt }: Review, now: number): boolean {
  return status === "paying" || (status === "pending" && now < expiresAt);
}

/**
 * Reads a review repeatedly until it has ended, the time is up, or the process stops. Undefined if the
 * site has no such review.
 */
export async function awaitReview(
  { clock, db, streams }: Context,
  siteKeyHash: string,
  escalationId: string,
  waitMs: number,
): Promise<Review | undefined> {
  const until = clock.now() + waitMs;
  let review = await reviewById(db, siteKeyHash, escalationId);
  let goesOn = true;
  while (goesOn && review && isOpen(review, clock.now()) && clock.now() < until) {
    goesOn = await streams.pause(clock, LOOK_EVERY_MS);
    review = (await reviewById(db, siteKeyHash, escalationId)) ?? review;
  }
  return review;
}
