import type { Money } from "@gatehouse/protocol";
import type { Purchase } from "./purchase.js";

/** A review, which the interface calls an escalation: what agents know it as. */
export interface ReviewBody {
  readonly escalation_id: string;
  readonly status: string;
  readonly agent_id: string;
  readonly mandate_id: string;
  readonly skill: string;
  readonly amount: Money | null;
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly quantity: number;
  }[];
  readonly paid_by_person: boolean;
  readonly rule_id: string;
  readonly approvals_needed: number;
  readonly approved_by: readonly string[];
  readonly decided_at: string | null;
  readonly decided_by: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly reason_code: string | null;
  readonly note: string | null;
  readonly order_id: string | null;
  readonly order_number: number | null;
  /** Of one that is shown by itself. */
  readonly purchase?: Purchase | null;
}

/** Who has said what to it so far. */
export function decidedLines(one: ReviewBody): Record<string, string> {
  const { approvals_needed: needed, approved_by: by } = one;
  return {
    ...(needed > 1
      ? { approvals: `${by.length} of ${needed}${by.map((who) => `\n${who}`).join("")}` }
      : {}),
    ...(one.decided_by === null ? {} : { decided_by: one.decided_by }),
    ...(one.decided_at === null ? {} : { decided_at: one.decided_at }),
    ...(one.reason_code === null ? {} : { reason: one.reason_code }),
    ...(one.note === null ? {} : { note: one.note }),
    ...(one.order_id === null ? {} : { order: `#${one.order_number} (${one.order_id})` }),
  };
}

const UNDECIDED: Readonly<Record<string, string>> = {
  pending: "nobody yet",
  expired: "nobody: the review expired",
  withdrawn: "nobody: the request was withdrawn",
  invalidated: "nobody: the request was no longer valid",
};

/** The reviewer who decided, or why nobody did. */
export function reviewerText({ status, decided_by }: ReviewBody): string {
  return UNDECIDED[status] ?? `${decided_by ?? "nobody"}, in a review`;
}

/** The same in a sentence, for where the review is not the subject. */
export function reviewSentence(one: ReviewBody): string {
  const who = one.decided_by === null ? "" : ` by ${one.decided_by}`;
  const when = one.decided_at === null ? `, until ${one.expires_at}` : ` at ${one.decided_at}`;
  return `${one.status}${who}${when}`;
}
