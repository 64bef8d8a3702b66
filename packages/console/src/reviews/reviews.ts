import { queryOptions } from "@tanstack/react-query";
import { type Api, call, type Page } from "../api/client.js";
import { MINUTE_MS } from "../ui/time-units.js";

export type Review = Api["Escalation"];

const pathOf = (siteKeyHash: string) => `/v1/admin/sites/${siteKeyHash}/escalations`;

/** How often the list is reloaded, in case a change was missed. */
const REFRESH_MS = MINUTE_MS;

/** The reviews that wait for a decision, at most a hundred. */
export const reviewsWaiting = (siteKeyHash: string) =>
  queryOptions({
    queryKey: ["reviews", siteKeyHash, "pending"],
    queryFn: () => call<Page<Review>>("GET", `${pathOf(siteKeyHash)}?status=pending&limit=100`),
    refetchInterval: REFRESH_MS,
  });

export const reviewQuery = (siteKeyHash: string, id: string) =>
  queryOptions({
    queryKey: ["reviews", siteKeyHash, id],
    queryFn: () => call<Review>("GET", `${pathOf(siteKeyHash)}/${encodeURIComponent(id)}`),
  });

/** The state of a review in a sentence. */
export function stateText({ status, amount }: Pick<Review, "status" | "amount">): string {
  return status === "approved" && amount === null ? "Approved." : REVIEW_STATES[status];
}

/** The word for the state of a review. */
export function reviewState({ status }: Pick<Review, "status">): string {
  return status === "pending" ? "escalated" : status;
}

/** Who decided a review, or null: a review can also end without a decision. */
export function deciderOf({
  status,
  decided_by,
}: Pick<Review, "status" | "decided_by">): string | null {
  return ["expired", "withdrawn", "invalidated"].includes(status) ? null : decided_by;
}

/** What each state of a review means. */
export const REVIEW_STATES: Readonly<Record<Review["status"], string>> = {
  pending: "Needs review.",
  paying: "Approved. The payment is in progress.",
  approved: "Approved. The payment is authorized.",
  payment_failed: "Approved, but the payment failed. There is no order.",
  denied: "Declined.",
  expired: "Expired. Nobody decided in time.",
  withdrawn: "The agent withdrew the request.",
  invalidated:
    "No longer valid: a price, the checkout, the agent or your rules changed. Nothing was charged.",
};

/** The reasons to decline, as codes and in words. */
export const DENIALS = {
  amount_too_high: "The amount is too high",
  unknown_agent: "We do not know this agent",
  suspected_fraud: "It looks like fraud",
  out_of_stock: "Out of stock",
  policy_change: "Our rules have changed",
  other: "Another reason",
} as const;
export type Denial = keyof typeof DENIALS;

export type ReviewVerdict =
  | { readonly verdict: "approve"; readonly note?: string }
  | { readonly verdict: "deny"; readonly reason_code: Denial; readonly note?: string };

/** Decides a review and returns its new state. */
export function decide(siteKeyHash: string, id: string, { verdict, ...body }: ReviewVerdict) {
  const path = `${pathOf(siteKeyHash)}/${encodeURIComponent(id)}/${verdict}`;
  return call<{ status: Review["status"]; decides_at?: string }>("POST", path, body);
}

/** Undoes a decision that has not taken effect. */
export function undo(siteKeyHash: string, id: string) {
  return call<void>("DELETE", `${pathOf(siteKeyHash)}/${encodeURIComponent(id)}/verdict`);
}
