import { type Check, canonicalize, isJsonObject, type JsonObject } from "@gatehouse/protocol";
import type { Explained } from "../decisions/decisions.js";

const objectAt = (value: unknown): JsonObject =>
  isJsonObject(value as never) ? (value as JsonObject) : {};

/** Whether a record belongs to the decision beside it. Compares what never changes in a decision. */
export function sameDecision(record: JsonObject, decision: Explained): Check {
  const recorded = {
    agent_id: objectAt(record.agent).id ?? null,
    skill: record.skill ?? null,
    amount: record.amount ?? null,
    policy_version: objectAt(record.decision).policy_version ?? null,
  };
  const { agent_id, skill, amount, policy_version } = decision;
  const shown = { agent_id, skill, amount, policy_version };
  const mandate = objectAt(record.mandate).mandate_id;
  const ok =
    canonicalize(recorded) === canonicalize(shown) &&
    (mandate === undefined || mandate === decision.mandate_id);
  const text = ok
    ? "the record has the same agent, action, amount and rules as this decision"
    : "the record belongs to a different decision";
  return { id: "decision", ok, text };
}
