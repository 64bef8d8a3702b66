import { type Check, canonicalize, isJsonObject, type JsonObject } from "@gatehouse/protocol";
import type { Explained } from "../decisions/decisions.js";

const objectAt = (value: unknown): JsonObject =>
  isJsonObject(value as never) ? (value as JsonObject) : {};

/** Whether a record speaks of the decision that is shown beside it: of what never changes in one. */
export function sameDecision(record: JsonObject, decision: Explained): Check {
  const said = {
    agent_id: objectAt(record.agent).id ?? null,
    skill: record.skill ?? null,
    amount: record.amount ?? null,
    policy_version: objectAt(record.decision).policy_version ?? null,
  };
  const { agent_id, skill, amount, policy_version } = decision;
  const shown = { agent_id, skill, amount, policy_version };
  const mandate = objectAt(record.mandate).mandate_id;
  const ok =
    canonicalize(said) === canonicalize(shown) &&
    (mandate === undefined || mandate === decision.mandate_id);
  const text = ok
    ? "it speaks of this agent, skill, amount and policy"
    : "it speaks of another decision than the one shown";
  return { id: "decision", ok, text };
}
