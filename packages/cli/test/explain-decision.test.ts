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

test.each([
  ["denied", "per_ada", "per_ada, in a review"],
  ["expired", "reviews.expire", "nobody: the review expired"],
])("explaining a request whose review was %s says who decided", (status, decided_by, who) => {
  const review = {
    escalation_id: "esc_1",
    status,
    agent_id: DECISION.agent_id,
    mandate_id: DECISION.mandate_id,
    skill: DECISION.skill,
    amount: null,
    items: [],
    paid_by_person: false,
    rule_id: "large",
    approvals_needed: 1,
    approved_by: [],
    decided_at: "2030-05-17T12:30:00.000Z",
    decided_by,
    created_at: "2030-05-17T12:00:00.000Z",
    expires_at: "2030-05-18T12:00:00.000Z",
    reason_code: null,
    note: null,
    order_id: null,
    order_number: null,
  };
  const one = {
    ...DECISION,
    reason: "review_denied",
    rule_id: "large",
    escalation_id: "esc_1",
    review,
  };
  const [by, rule] = describeDecisions([one]).split("\n").slice(1);
  expect(by).toMatch(new RegExp(`^decided by +${who}$`));
  expect(rule).toMatch(/^ +rule large, version 1, requires a review$/);
});
