import type { Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { hasRole, type Principal } from "../../domain/access/principal.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import type { Review, ReviewStatus } from "../../domain/reviews/review.js";
import { reviewById, listReviews as selectReviews } from "../../domain/reviews/store.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** A page of a site's reviews, in order of creation. */
export function listReviews(
  { db }: Context,
  siteKeyHash: string,
  status: ReviewStatus | undefined,
  request: PageRequest,
): Promise<Result<Page<Review>, "invalid_request">> {
  return readPage(
    request,
    (page) => selectReviews(db, siteKeyHash, status, page),
    ({ createdAt, escalationId }) => ({ createdAt, id: escalationId }),
  );
}

interface ShownReview {
  readonly review: Review;
  /** The checkout it is about. Only reviewers see it, because it names the buyer. */
  readonly checkout: Checkout | undefined;
}

/** Undefined if the site has no such review. */
export async function showReview(
  { db }: Context,
  siteKeyHash: string,
  escalationId: string,
  reader: Principal,
): Promise<ShownReview | undefined> {
  const review = await reviewById(db, siteKeyHash, escalationId);
  if (review === undefined) return undefined;
  const checkoutId = review.request.checkout?.checkoutId;
  const visible = checkoutId !== undefined && hasRole(reader, "reviewer");
  const checkout = visible ? await checkoutById(db, siteKeyHash, checkoutId) : undefined;
  return { review, checkout };
}
