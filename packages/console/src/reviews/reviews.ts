import { queryOptions } from "@tanstack/react-query";
import { type Api, call, type Page } from "../api/client.js";

export type Review = Api["Escalation"];
export type ShownReview = Api["ShownEscalation"];

const pathOf = (siteKeyHash: string) => `/v1/admin/sites/${siteKeyHash}/escalations`;

/** How often the list is asked for anew, in case nobody said that it changed. */
const REFRESH_MS = 60_000;

/** What waits for a person at a site; a hundred at most. */
export const reviewsWaiting = (siteKeyHash: string) =>
  queryOptions({
    queryKey: ["reviews", siteKeyHash, "pending"],
    queryFn: () => call<Page<Review>>("GET", `${pathOf(siteKeyHash)}?status=pending&limit=100`),
    refetchInterval: REFRESH_MS,
  });

export const reviewQuery = (siteKeyHash: string, id: string) =>
  queryOptions({
    queryKey: ["reviews", siteKeyHash, id],
    queryFn: () => call<ShownReview>("GET", `${pathOf(siteKeyHash)}/${encodeURIComponent(id)}`),
  });

/** What a state of a review means; for one that costs nothing no payment was asked. */
export function stateText({ status, amount }: Pick<Review, "status" | "amount">): string {
  return status === "approved" && amount === null ? "Approved." : REVIEW_STATES[status];
}

/** What a state of a review means. */
export const REVIEW_STATES: Readonly<Record<Review["status"], string>> = {
  pending: "Pending: it waits for a person.",
  paying: "Approved: the payment is being authorized.",
  approved: "Approved, and the payment authorized.",
  payment_failed: "Approved, but the payment was not authorized. Nothing was sold.",
  denied: "Denied by a person.",
  expired: "Expired: nobody decided in time.",
  withdrawn: "Withdrawn by the agent.",
  invalidated: "Invalidated: something had changed since it was asked for. Nothing was paid.",
};

/** Why something is denied, in the interface's words and in a person's. */
export const DENIALS = {
  amount_too_high: "The amount is too high",
  unknown_agent: "We do not know this agent",
  suspected_fraud: "It looks like fraud",
  out_of_stock: "We have no more of it",
  policy_change: "Our rules have changed",
  other: "Another reason",
} as const;
export type Denial = keyof typeof DENIALS;

export type Verdict =
  | { readonly verdict: "approve"; readonly note?: string }
  | { readonly verdict: "deny"; readonly reason_code: Denial; readonly note?: string };

/** Decides about a review; what became of it. */
export function decide(siteKeyHash: string, id: string, { verdict, ...body }: Verdict) {
  const path = `${pathOf(siteKeyHash)}/${encodeURIComponent(id)}/${verdict}`;
  return call<{ status: Review["status"] }>("POST", path, body);
}
