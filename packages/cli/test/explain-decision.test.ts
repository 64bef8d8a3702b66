import { expect, test } from "vitest";
import { describeDecisions, type ExplainedDecision } from "../src/explain-decision.ts";

const DECISION: ExplainedDecision = {
  decision_id: "dec_1",
  mandate_id: "chk_1-1",
  agent_id: "https://platform.example/profile",
  skill: "complete_checkout",
  evaluated_at: "2030-05-17T12:00:00.000Z",
  outcome: "rejected",
  reason: "budget_exceeded",
  rule_id: null,
  policy_version: 1,
  amount: null,
  record_id: "01a1",
  rules: [{ id: "small", result: "matched" }],
  payment: null,
  order_id: null,
  order_number: null,
  escalation_id: null,
  answer: { body: {} },
  review: null,
};

test("explaining a purchase that the shared limit of platforms refused names that limit, not the policy", () => {
  const shown = describeDecisions([DECISION]);
  expect(shown).toMatch(/^decided by +the limit shared by platforms you have not admitted$/m);
  expect(shown).toMatch(/^ +Admit this one \(gatehouse platform admit\), or raise the limit /m);
  const denied = describeDecisions([{ ...DECISION, reason: "policy_denied" }]);
  expect(denied).toMatch(/^decided by +the policy's default, version 1$/m);
});
