import { movesMoney } from "@gatehouse/protocol";

/** `paying`: approved, and the processor has yet to say whether it authorizes. */
export const OUTCOMES = ["approved", "escalated", "rejected", "paying"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What was decided about a mandate, and what its agent was told. */
export interface Decision {
  readonly decisionId: string;
  readonly siteKeyHash: string;
  /** The caller, as people see it. */
  readonly actorId: string;
  /** The identity it counts for in limits, budgets and velocity. */
  readonly identity: string;
  /** Whether it also counts for the pool of platforms that are not admitted. */
  readonly pooled: boolean;
  readonly mandateId: string;
  /** Of the bytes that were signed. */
  readonly digest: string;
  readonly skill: string;
  readonly protocol: string;
  /** What was to pay, in whole minor units; null where nothing was. */
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly ruleId: string | null;
  readonly rulesEvaluated: number;
  readonly policyVersion: number | null;
  readonly recordId: string;
  readonly evaluatedAt: number;
  /** When money was asked for because of it; null where none was, or none came of it. */
  readonly spentAt: number | null;
  readonly answer: StoredAnswer;
}

/** An answer as it was given, and will be given again to the same mandate. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, string | number>>;
}

/** Whether money was asked for because of it. What moves none spends none, whatever its cart says. */
export function isSpent({ outcome, skill }: Pick<Decision, "outcome" | "skill">): boolean {
  return movesMoney(skill) && (outcome === "approved" || outcome === "paying");
}

/** When something was decided. */
export interface Span {
  /** From this moment on. */
  readonly from: number | undefined;
  /** Up to this moment, without it. */
  readonly to: number | undefined;
}
