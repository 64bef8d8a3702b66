import { queryOptions } from "@tanstack/react-query";
import { type Api, call, type Page } from "../api/client.js";

export type Review = Api["Escalation"];

const pathOf = (siteKeyHash: string) => `/v1/admin/sites/${siteKeyHash}/escalations`;

/** How often the list is asked for anew, in case nobody said that it changed. */
const REFRESH_MS = 60_000;

/** What waits for a person at a site. */
export const pendingQuery = (siteKeyHash: string) =>
  queryOptions({
    queryKey: ["reviews", siteKeyHash, "pending"],
    queryFn: () => call<Page<Review>>("GET", `${pathOf(siteKeyHash)}?status=pending&limit=100`),
    refetchInterval: REFRESH_MS,
  });

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
