import { movesMoney } from "@gatehouse/protocol";

/** `paying`: approved, but the outcome of the payment is not known yet. */
export const OUTCOMES = ["approved", "escalated", "rejected", "paying"] as const;
export type DecisionOutcome = (typeof OUTCOMES)[number];

/**
 * The identity of somebody who pays on the provider's own page. What they spend counts against no agent and
 * no platform. Its brackets make sure that no host has the same name.
 */
export const BUYER = "(buyer)";

/** The decision about a mandate, and the answer to its agent. */
export interface Decision {
  readonly decisionId: string;
  readonly siteKeyHash: string;
  /** The id of the caller that people see. */
  readonly actorId: string;
  /** The identity it counts for in limits, budgets and velocity. */
  readonly identity: string;
  /** Whether it also counts for the pool of platforms that are not admitted. */
  readonly pooled: boolean;
  readonly mandateId: string;
  /** The digest of the signed bytes. */
  readonly digest: string;
  readonly skill: string;
  readonly protocol: string;
  /** The amount to pay in minor units; null if nothing was to be paid. */
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  readonly outcome: DecisionOutcome;
  readonly reason: string | null;
  readonly ruleId: string | null;
  readonly rulesEvaluated: number;
  readonly policyVersion: number | null;
  readonly recordId: string;
  readonly evaluatedAt: number;
  /** When the payment was requested; null if none was, or it did not succeed. */
  readonly spentAt: number | null;
  readonly answer: StoredAnswer;
}

/** The answer to a mandate. The same mandate gets it again. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, string | number>>;
}

/**
 * Whether a payment was requested that counts in budgets. A skill that moves no money spends nothing,
 * whatever its cart says.
 */
export function isSpent({
  outcome,
  skill,
  identity,
}: Pick<Decision, "outcome" | "skill" | "identity">): boolean {
  if (!movesMoney(skill) || identity === BUYER) return false;
  return outcome === "approved" || outcome === "paying";
}

/** Whether a decision ended without a payment request, so that the same mandate is decided again. */
export function mayDecideAgain({ outcome, reason }: Pick<Decision, "outcome" | "reason">): boolean {
  return outcome === "rejected" && reason === "unavailable";
}

/** A range of time. */
export interface Span {
  /** Included. */
  readonly from: number | undefined;
  /** Excluded. */
  readonly to: number | undefined;
}
