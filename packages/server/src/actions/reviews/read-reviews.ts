import type { Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { hasRole, type Principal } from "../../domain/access/principal.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { checkoutsAmong } from "../../domain/checkouts/store.js";
import { policyVersionsOf } from "../../domain/decisions/store.js";
import type { Order } from "../../domain/orders/order.js";
import { ordersAmong } from "../../domain/orders/store.js";
import { picturesOf } from "../../domain/products/lookups/store.js";
import type { Review, ReviewStatus } from "../../domain/reviews/review.js";
import { reviewById, listReviews as selectReviews } from "../../domain/reviews/store.js";
import { type PlannedVerdict, verdictsAmong } from "../../domain/reviews/verdicts/store.js";
import type { Queries } from "../../infra/db/database.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** A review with everything that a person decides it by. */
export interface ShownReview {
  readonly review: Review;
  /** What somebody has just chosen, or what could not take effect. */
  readonly verdict: PlannedVerdict | undefined;
  /** The version of the rules that asked for it. */
  readonly policyVersion: number | null;
  /** The pictures of its items today, by product. */
  readonly pictures: ReadonlyMap<string, string>;
  /** The checkout it is about. Only reviewers see it, because it names the buyer. */
  readonly checkout: Checkout | undefined;
  /** What it led to; undefined if it led to no order. */
  readonly order: Order | undefined;
}

const checkoutIdOf = ({ request }: Review) => request.checkout?.checkoutId ?? "";

async function shownReviews(
  db: Queries,
  siteKeyHash: string,
  reviews: readonly Review[],
  reader: Principal,
): Promise<ShownReview[]> {
  const pending = reviews.filter(({ status }) => status === "pending");
  const pendingIds = pending.map(({ escalationId }) => escalationId);
  const decisionIds = reviews.map(({ decisionId }) => decisionId);
  const productIds = reviews.flatMap(({ request }) => (request.items ?? []).map(({ id }) => id));
  const checkoutIds = hasRole(reader, "reviewer") ? reviews.map(checkoutIdOf) : [];
  const verdicts = await verdictsAmong(db, siteKeyHash, pendingIds);
  const versions = await policyVersionsOf(db, siteKeyHash, decisionIds);
  const pictures = await picturesOf(db, siteKeyHash, productIds);
  const orders = await ordersAmong(db, siteKeyHash, "decision_id", decisionIds);
  const ordered = new Map(orders.map((order) => [order.decisionId, order]));
  const checkouts = await checkoutsAmong(
    db,
    siteKeyHash,
    checkoutIds.filter((id) => id !== ""),
  );
  return reviews.map((review) => ({
    review,
    verdict: verdicts.get(review.escalationId),
    policyVersion: versions.get(review.decisionId) ?? null,
    pictures,
    checkout: checkouts.get(checkoutIdOf(review)),
    order: ordered.get(review.decisionId),
  }));
}

/** A page of a site's reviews, in order of creation. */
export function listReviews(
  { db }: Context,
  siteKeyHash: string,
  { status, reader }: { readonly status: ReviewStatus | undefined; readonly reader: Principal },
  request: PageRequest,
): Promise<Result<Page<ShownReview>, "invalid_request">> {
  const read = async (page: Parameters<typeof selectReviews>[3]) =>
    shownReviews(db, siteKeyHash, await selectReviews(db, siteKeyHash, status, page), reader);
  return readPage(request, read, ({ review }) => {
    return { createdAt: review.createdAt, id: review.escalationId };
  });
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
  const [shown] = await shownReviews(db, siteKeyHash, [review], reader);
  return shown;
}
