/** What a finding is about. */
export type PolicyFindingCode =
  | "never_matches"
  | "always_denies"
  | "shadowed"
  | "limit_without_effect"
  | "nothing_approved"
  | "without_cart"
  | "currency_missing"
  | "many_approvals"
  | "duplicate_rule"
  | "duplicate_condition"
  | "unknown_skill"
  | "skill_not_offered"
  | "currency_not_used";

/** Something in a policy that its owner hardly meant. */
export interface PolicyFinding {
  /** With an error a policy is not published. */
  readonly level: "error" | "warning";
  readonly code: PolicyFindingCode;
  /** The rule it is about; left out where it is about the whole policy. */
  readonly rule?: string;
  readonly message: string;
}

export const warning = (
  code: PolicyFindingCode,
  rule: string | undefined,
  message: string,
): PolicyFinding =>
  Object.freeze({ level: "warning", code, ...(rule !== undefined && { rule }), message });
