/** `paying`: approved, and the processor has yet to say whether it authorizes. */
type DecisionOutcome = "approved" | "escalated" | "rejected" | "paying";

/** What was decided about a mandate, and what its agent was told. */
export interface Decision {
  readonly decisionId: string;
  readonly siteKeyHash: string;
  readonly actorId: string;
  readonly mandateId: string;
  /** Of the bytes that were signed. */
  readonly digest: string;
  readonly skill: string;
  readonly protocol: string;
  /** What was to pay, in whole minor units; null where nothing was. */
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  readonly outcome: DecisionOutcome;
  readonly reason: string | null;
  readonly ruleId: string | null;
  readonly rulesEvaluated: number;
  readonly policyVersion: number | null;
  readonly recordId: string;
  readonly evaluatedAt: number;
  readonly answer: StoredAnswer;
}

/** An answer as it was given, and will be given again to the same mandate. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, string | number>>;
}

/** Whether what was asked for counts as spent: approved, or about to be. */
export function isSpent({ outcome }: Pick<Decision, "outcome">): boolean {
  return outcome === "approved" || outcome === "paying";
}

export const HOUR_MS = 3_600_000;
