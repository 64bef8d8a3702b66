import type { Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { hasRole, type Principal } from "../../domain/access/principal.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import type { Review, ReviewStatus } from "../../domain/reviews/review.js";
import { reviewById, listReviews as selectReviews } from "../../domain/reviews/store.js";
import {
  type PlannedVerdict,
  verdictById,
  verdictsAmong,
} from "../../domain/reviews/verdicts/store.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** A page of a site's reviews, in order of creation. */
export function listReviews(
  { db }: Context,
  siteKeyHash: string,
  status: ReviewStatus | undefined,
  request: PageRequest,
): Promise<Result<Page<ListedReview>, "invalid_request">> {
  const read = async (page: Parameters<typeof selectReviews>[3]) => {
    const reviews = await selectReviews(db, siteKeyHash, status, page);
    const ids = reviews.filter((review) => review.status === "pending").map(idOf);
    const verdicts = await verdictsAmong(db, siteKeyHash, ids);
    return reviews.map((review) => ({ review, verdict: verdicts.get(review.escalationId) }));
  };
  return readPage(request, read, ({ review }) => {
    return { createdAt: review.createdAt, id: review.escalationId };
  });
}

const idOf = ({ escalationId }: Review) => escalationId;

export interface ListedReview {
  readonly review: Review;
  /** What somebody has just chosen, or what could not take effect. */
  readonly verdict: PlannedVerdict | undefined;
}

interface ShownReview extends ListedReview {
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
  const pending = review.status === "pending";
  const verdict = pending ? await verdictById(db, siteKeyHash, escalationId) : undefined;
  return { review, checkout, verdict };
}
