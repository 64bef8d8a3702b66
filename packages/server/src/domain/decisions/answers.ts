import { REASONS, type ReasonCode } from "@gatehouse/protocol";
import { isoTime } from "../../infra/clock.js";
import type { StoredAnswer } from "./decision.js";

/** Answers to mandates in the contract's words (interface 2.7). */

/** A request that no mandate carried: its own channel says what became of it. */
export const NO_ANSWER: StoredAnswer = Object.freeze({ status: 200, body: {} });

export function approvedAnswer(decision: {
  readonly mandateId: string;
  readonly recordId: string;
  readonly rulesEvaluated: number;
  /** The answer that the owner published to what the agent asks. */
  readonly published?: string | undefined;
  readonly now: number;
}): StoredAnswer {
  const { published } = decision;
  const body = {
    outcome: "approved",
    mandate_id: decision.mandateId,
    record_id: decision.recordId,
    evaluated_at: isoTime(decision.now),
    rules_evaluated: decision.rulesEvaluated,
    ...(published === undefined ? {} : { answer: published }),
  };
  return { status: 200, body };
}

export function rejectedAnswer(
  reason: ReasonCode,
  mandateId: string,
  { message, ruleId, reasonCode }: RejectionDetails = {},
): StoredAnswer {
  const { status, message: usual } = REASONS[reason];
  const body = {
    outcome: "rejected",
    reason,
    message: message ?? usual,
    mandate_id: mandateId,
    ...(ruleId === undefined ? {} : { evaluated_rule_id: ruleId }),
    ...(reasonCode === undefined ? {} : { reason_code: reasonCode }),
  };
  return { status, body };
}

interface RejectionDetails {
  /** Says more than the reason's own sentence. */
  readonly message?: string | undefined;
  readonly ruleId?: string | undefined;
  /** A narrower reason. */
  readonly reasonCode?: string | undefined;
}

export function escalatedAnswer(
  mandateId: string,
  review: {
    readonly escalationId: string;
    readonly ruleId: string;
    readonly expiresAt: number;
    readonly statusUrl: string;
  },
  now: number,
): StoredAnswer {
  const body = {
    outcome: "escalated",
    mandate_id: mandateId,
    evaluated_at: isoTime(now),
    escalation_id: review.escalationId,
    evaluated_rule_id: review.ruleId,
    expires_at: isoTime(review.expiresAt),
    status_url: review.statusUrl,
  };
  return { status: 202, body };
}

function unavailableAnswer(mandateId: string, message: string): StoredAnswer {
  const body = { outcome: "unavailable", message, mandate_id: mandateId };
  return { status: REASONS.unavailable.status, body };
}

/** The answer while nobody knows whether it is paid (decisions 6). */
export const paymentUnknownAnswer = (mandateId: string) =>
  unavailableAnswer(
    mandateId,
    "The outcome of the payment is not known yet. Send the same bytes again later. You are never charged twice.",
  );

/**
 * The answer to a mandate that was approved and is not paid. If the shop system did not answer, no payment was requested,
 * and the same mandate is decided again.
 */
export function unpaidAnswer(reason: ReasonCode, mandateId: string): StoredAnswer {
  if (reason !== "unavailable") return rejectedAnswer(reason, mandateId);
  const message =
    "The shop did not answer in time. Nothing was charged. Send the same bytes again in a minute.";
  return unavailableAnswer(mandateId, message);
}
