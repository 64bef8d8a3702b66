import { isJsonObject, type JsonObject, type JsonValue } from "../../json/value.js";
import type { Money } from "../../money/amount.js";
import { readPolicyFacts } from "../../policy/facts.js";
import type { AuditRecord } from "../record.js";
import type { DecidedStep, PaidStep, ReviewedStep, Step } from "./step.js";

/** A text of its own: one that is cut out of a part would keep the whole part in memory. */
const own = (text: string) => ` ${text}`.slice(1);

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? own(value) : undefined;
}

const membersOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

function moneyIn(minor: JsonValue | undefined, currency: JsonValue | undefined): Money | undefined {
  if (typeof minor !== "number" || typeof currency !== "string") return undefined;
  return { minor, currency: own(currency) };
}

const placeOf = ({ seq, record_id, occurred_at }: AuditRecord) => ({
  ...{ seq, recordId: own(record_id), at: Date.parse(occurred_at) },
});

function subjectOf({ agent, mandate, skill }: AuditRecord) {
  const { id = null } = membersOf(agent);
  const { mandate_id = null, digest = null } = membersOf(mandate);
  return {
    subject: JSON.stringify([id, mandate_id, digest, skill ?? null]),
    mandate: JSON.stringify([id, mandate_id]),
  };
}

/** What the rules were asked with. Facts that cannot be read are found when they are asked again. */
function askedIn(record: AuditRecord) {
  const { policy_digest, facts = {} } = membersOf(record.decision);
  const read = readPolicyFacts(facts);
  const { spend = [], count = [], cart, protocol } = read.ok ? read.value : {};
  return {
    ...{ agent: textIn(membersOf(record.agent).id) ?? "", skill: textIn(record.skill) ?? "" },
    ...{ policy: textIn(policy_digest), protocol: textIn(protocol), pays: isPaid(record) },
    amount: cart && moneyIn(cart.total, cart.currency),
    spend: spend.map((one) => ({ ...one, currency: own(one.currency) })),
    count,
  };
}

const isPaid = ({ payment }: AuditRecord) => payment === "requested";

function decidedStep(record: AuditRecord, approvals: number): DecidedStep | undefined {
  const { outcome, policy_digest } = membersOf(record.decision);
  if (policy_digest === undefined && outcome === "rejected") return undefined;
  return {
    ...{ kind: "decided", ...placeOf(record), ...askedIn(record), ...subjectOf(record) },
    ...{ outcome: textIn(outcome) ?? "", review: textIn(record.escalation_id), approvals },
  };
}

function reviewedStep(record: AuditRecord): ReviewedStep {
  const { outcome, escalation_id, approved_by } = membersOf(record.review);
  return {
    ...{ kind: "reviewed", ...placeOf(record), ...askedIn(record) },
    ...{ subject: subjectOf(record).subject, parent: textIn(record.parent_record_id) ?? "" },
    ...{ approved: outcome === "approved", review: textIn(escalation_id) },
    approvers: new Set(Array.isArray(approved_by) ? approved_by : []).size,
  };
}

function paidStep(record: AuditRecord): PaidStep {
  const { minor, currency } = membersOf(record.amount);
  return {
    ...{ kind: "paid", ...placeOf(record), subject: subjectOf(record).subject },
    amount: moneyIn(minor, currency),
    parent: textIn(record.parent_record_id) ?? "",
    attempt: textIn(record.attempt_id) ?? "",
    payment: textIn(record.payment),
    release: record.release === undefined ? undefined : (textIn(record.release) ?? ""),
    outcome: textIn(membersOf(record.decision).outcome),
    ordered: record.order_id !== undefined,
  };
}

/**
 * Reads what a record says that others can confirm or contradict; undefined where that is nothing.
 * `approvals` is how many people its rule wants, where it asks for any.
 */
export function readStep(record: AuditRecord, approvals: number): Step | undefined {
  switch (record.type) {
    case "site.changed": {
      const { kind, policy_digest } = membersOf(record.change);
      if (kind !== "policy_published") return undefined;
      return { kind: "published", ...placeOf(record), policy: textIn(policy_digest) ?? "" };
    }
    case "mandate.decision":
    case "checkout.decision":
      return decidedStep(record, approvals) ?? { kind: "refused", ...placeOf(record) };
    case "review.decision":
      return reviewedStep(record);
    case "payment.outcome":
      return paidStep(record);
    default:
      return undefined;
  }
}
