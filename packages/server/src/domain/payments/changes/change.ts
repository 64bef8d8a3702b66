import type { Money } from "@gatehouse/protocol";

export const CHANGE_KINDS = ["capture", "refund"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** requested → completed | failed | unknown; unknown → completed | failed. */
export const CHANGE_STATUSES = ["requested", "unknown", "completed", "failed"] as const;

/** A capture or refund that an owner asked for. It is written before the provider is asked. */
export interface PaymentChange {
  /** The provider's idempotency key is derived from it. */
  readonly changeId: string;
  readonly siteKeyHash: string;
  readonly orderId: string;
  readonly attemptId: string;
  readonly kind: ChangeKind;
  readonly amount: Money;
  /** Why, in the owner's words. The buyer sees it. */
  readonly reason: string | null;
  readonly requestedBy: string;
  /** The event of the shop system that asked for it; null if a person did. */
  readonly shopEventId: string | null;
  readonly status: (typeof CHANGE_STATUSES)[number];
  /** Why it failed, as a word of the provider. */
  readonly failure: string | null;
  readonly requestedAt: number;
  readonly endedAt: number | null;
  /** How often the provider was asked again. */
  readonly tries: number;
  /** The time of the next try; null if it has ended. */
  readonly nextAt: number | null;
}

/** Whether its outcome is not known yet. */
export function isPending({ status }: Pick<PaymentChange, "status">): boolean {
  return status === "requested" || status === "unknown";
}

/** Captures and refunds of one order, failed ones too. */
export const CHANGES_MAX = 100;
