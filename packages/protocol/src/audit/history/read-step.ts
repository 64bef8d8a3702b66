import { ownText } from "../../json/own.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/value.js";
import type { Money } from "../../money/amount.js";
import { type PolicyFacts, readPolicyFacts } from "../../policy/facts.js";
import type { PolicyReview } from "../../policy/review.js";
import type { AuditRecord } from "../record.js";
import {
  type AdjustedStep,
  BUYER,
  type DecidedStep,
  type PaidStep,
  type ReviewedStep,
  type Step,
} from "./step.js";

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? ownText(value) : undefined;
}

const NO_MEMBERS: JsonObject = Object.freeze({});
const membersOf = (value: JsonValue | undefined) => (isJsonObject(value) ? value : NO_MEMBERS);

function moneyIn(minor: JsonValue | undefined, currency: JsonValue | undefined): Money | undefined {
  if (typeof minor !== "number" || typeof currency !== "string") return undefined;
  return { minor, currency: ownText(currency) };
}

function subjectOf({ agent, mandate, checkout, skill }: AuditRecord): string {
  const { id = null } = membersOf(agent);
  const { mandate_id = null, digest = null } = membersOf(mandate);
  // A mandate names what it pays for itself.
  const completed = mandate === undefined ? membersOf(checkout) : NO_MEMBERS;
  const { checkout_id = null, digest: quote = null } = completed;
  return JSON.stringify([id, mandate_id, digest, checkout_id, quote, skill ?? null]);
}

function mandateOf({ agent, mandate }: AuditRecord): string | undefined {
  const { mandate_id } = membersOf(mandate);
  if (mandate_id === undefined) return undefined;
  return JSON.stringify([membersOf(agent).id ?? null, mandate_id]);
}

/** The counters among the facts. Those that cannot be read are found when the rules are asked. */
function countersIn({ spend, count }: JsonObject): Pick<PolicyFacts, "spend" | "count"> {
  if (spend === undefined && count === undefined) return {};
  const read = readPolicyFacts({ ...(spend && { spend }), ...(count && { count }) });
  return read.ok ? read.value : {};
}

/** Who asked for what, and what the rules were asked with; no spread, of which there are many. */
function askedIn(record: AuditRecord) {
  const { policy_digest, facts } = membersOf(record.decision);
  const request = membersOf(facts);
  const { total, currency } = membersOf(request.cart);
  const { spend = [], count = [] } = countersIn(request);
  const isBuyer = membersOf(request.buyer).present === true;
  return {
    seq: record.seq,
    recordId: ownText(record.record_id),
    at: Date.parse(record.occurred_at),
    subject: subjectOf(record),
    agent: isBuyer ? BUYER : (textIn(membersOf(record.agent).id) ?? ""),
    skill: textIn(record.skill) ?? "",
    protocol: textIn(request.protocol),
    amount: moneyIn(total, currency),
    policy: textIn(policy_digest),
    spend,
    count,
    pays: record.payment === "requested",
  };
}

function decidedStep(record: AuditRecord, wanted: PolicyReview | undefined): DecidedStep {
  return Object.assign(askedIn(record), {
    kind: "decided" as const,
    mandate: mandateOf(record),
    outcome: textIn(membersOf(record.decision).outcome) ?? "",
    review: textIn(record.escalation_id),
    wanted,
    elsewhere: false,
  });
}

/** What the owner's processor asked about: it takes what was approved, and asks no person. */
function approvalStep(record: AuditRecord): DecidedStep {
  const approved = membersOf(record.approval).outcome === "approved";
  const outcome = approved ? "approved" : "rejected";
  return { ...decidedStep(record, undefined), outcome, pays: approved, elsewhere: true };
}

function adjustedStep(record: AuditRecord): AdjustedStep {
  const { kind: became, amount, id: name, status: stands } = membersOf(record.adjustment);
  const { minor, currency } = membersOf(amount);
  const [id, status] = [textIn(name), textIn(stands)];
  return {
    kind: "adjusted",
    seq: record.seq,
    recordId: ownText(record.record_id),
    at: Date.parse(record.occurred_at),
    attempt: textIn(record.attempt_id) ?? "",
    became: textIn(became),
    amount: moneyIn(minor, currency),
    returned: id === undefined || status === undefined ? undefined : { id, status },
  };
}

function reviewedStep(record: AuditRecord): ReviewedStep {
  const { outcome, escalation_id, approved_by } = membersOf(record.review);
  return Object.assign(askedIn(record), {
    kind: "reviewed" as const,
    parent: textIn(record.parent_record_id) ?? "",
    approved: outcome === "approved",
    review: textIn(escalation_id),
    approvers: new Set(Array.isArray(approved_by) ? approved_by : []).size,
  });
}

/** The reason of a payment that was never requested, because the shop system did not answer. */
const NOT_REQUESTED = "unavailable";

function paidStep(record: AuditRecord): PaidStep {
  const { minor, currency } = membersOf(record.amount);
  const { outcome, reason_codes: reasons } = membersOf(record.decision);
  return {
    kind: "paid",
    seq: record.seq,
    recordId: ownText(record.record_id),
    at: Date.parse(record.occurred_at),
    subject: subjectOf(record),
    amount: moneyIn(minor, currency),
    parent: textIn(record.parent_record_id) ?? "",
    attempt: textIn(record.attempt_id) ?? "",
    payment: textIn(record.payment),
    release: record.release === undefined ? undefined : (textIn(record.release) ?? ""),
    outcome: textIn(outcome),
    ordered: record.order_id !== undefined,
    reopens:
      record.payment === "declined" && Array.isArray(reasons) && reasons.includes(NOT_REQUESTED),
  };
}

/**
 * Reads what a record says that others can confirm or contradict; undefined where that is nothing.
 * `wanted` is how its rules want people to be asked, where they do.
 */
export function readStep(record: AuditRecord, wanted?: PolicyReview): Step | undefined {
  const { type, seq } = record;
  const placed = () => ({
    seq,
    recordId: ownText(record.record_id),
    at: Date.parse(record.occurred_at),
  });
  switch (type) {
    case "site.changed": {
      const { kind, policy_digest } = membersOf(record.change);
      if (kind !== "policy_published") return undefined;
      return { kind: "published", ...placed(), policy: textIn(policy_digest) ?? "" };
    }
    case "mandate.decision":
    case "checkout.decision": {
      const { outcome, policy_digest } = membersOf(record.decision);
      if (policy_digest !== undefined || outcome !== "rejected") {
        return decidedStep(record, wanted);
      }
      return { kind: "refused", ...placed() };
    }
    case "order.approval":
      return approvalStep(record);
    case "order.adjustment":
      return adjustedStep(record);
    case "review.decision":
      return reviewedStep(record);
    case "payment.outcome":
      return paidStep(record);
    default:
      return undefined;
  }
}
