import type { Money } from "../money/amount.js";
import type { PolicyWindow } from "./duration.js";

/** Whose spending or requests a rule adds up. */
export type PolicyScope = "agent" | "site";

/** Every scope. */
export const SCOPES: readonly PolicyScope[] = Object.freeze(["agent", "site"]);

/** What a rule does when it matches. */
export type PolicyEffect = "allow" | "deny" | "escalate";

/** Facts that are one text. */
export type TextFact = "skill" | "protocol" | "cart.currency" | "agent.id";

/** Facts a rule may ask to exist. */
export type ExistsFact = TextFact | "cart.total" | "agent.tags";

/** How two numbers compare. */
export type Comparison = "gt" | "gte" | "lt" | "lte";

/** A condition as it was read: amounts are whole minor units, one entry per currency. */
export type Condition =
  | { readonly kind: "all" | "any"; readonly conditions: readonly Condition[] }
  | { readonly kind: "not"; readonly condition: Condition }
  | { readonly kind: "exists"; readonly fact: ExistsFact; readonly expected: boolean }
  | {
      readonly kind: "text";
      readonly fact: TextFact;
      readonly operator: "eq" | "in" | "not_in" | "prefix";
      /** One for `eq` and `prefix`. */
      readonly values: readonly string[];
    }
  | { readonly kind: "tags"; readonly values: readonly string[] }
  | { readonly kind: "present"; readonly expected: boolean }
  | { readonly kind: "age"; readonly operator: Comparison | "eq"; readonly days: number }
  | { readonly kind: "total"; readonly operator: Comparison; readonly limits: readonly Money[] }
  /** `HH:MM`; a start after the end wraps midnight. */
  | { readonly kind: "time"; readonly start: string; readonly end: string }
  | {
      readonly kind: "spend";
      readonly scope: PolicyScope;
      readonly window: PolicyWindow;
      readonly limits: readonly Money[];
    }
  | {
      readonly kind: "count";
      readonly scope: PolicyScope;
      readonly window: PolicyWindow;
      readonly gt: number;
    };

/** How an escalation waits for people. */
export interface PolicyEscalation {
  /** ISO 8601 duration, 5 minutes to 7 days; `policyDurationMs` reads it. */
  readonly expires_in: string;
  readonly group?: string;
  readonly approvals?: number;
}

/** One rule of a policy. */
export interface PolicyRule {
  readonly id: string;
  readonly title?: string;
  readonly effect: PolicyEffect;
  /** A rule that is only watched: traced, without effect. */
  readonly mode?: "monitor";
  readonly when: Condition;
  readonly escalation?: PolicyEscalation;
}

/** A policy as it was read from its document, frozen to the last member. */
export interface Policy {
  readonly policy: "rules/1";
  readonly version?: number;
  readonly timezone: string;
  readonly default: "deny" | "escalate";
  readonly rules: readonly PolicyRule[];
}
