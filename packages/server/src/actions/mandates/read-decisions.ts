import type { Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { tryIdsOf } from "../../domain/checkouts/checkout.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import type { Decision } from "../../domain/decisions/decision.js";
import {
  type DecisionFilter,
  listDecisions as selectDecisions,
} from "../../domain/decisions/store.js";
import { type Page, type PageRequest, readPage } from "../page.js";

interface DecisionQuery extends Omit<DecisionFilter, "checkout"> {
  readonly checkoutId: string | undefined;
}

/** Decisions name the checkout they are about, also after the checkout itself was deleted. */
async function checkoutFilter(
  { db }: Context,
  siteKeyHash: string,
  checkoutId: string | undefined,
): Promise<DecisionFilter["checkout"]> {
  if (checkoutId === undefined) return undefined;
  const checkout = await checkoutById(db, siteKeyHash, checkoutId);
  return { tryIds: tryIdsOf(checkoutId), decisionId: checkout?.decisionId ?? null };
}

/** A page of a site's decisions, newest first. */
export async function listDecisions(
  context: Context,
  siteKeyHash: string,
  { checkoutId, ...query }: DecisionQuery,
  request: PageRequest,
): Promise<Result<Page<Decision>, "invalid_request">> {
  const checkout = await checkoutFilter(context, siteKeyHash, checkoutId);
  return readPage(
    request,
    (page) => selectDecisions(context.db, siteKeyHash, { ...query, checkout }, page),
    ({ evaluatedAt, decisionId }) => ({ createdAt: evaluatedAt, id: decisionId }),
  );
}
