import { expect, test } from "vitest";
import { type AuditRecord, type JsonObject, replayDecision } from "../src/index.ts";
import { decided, deciding, lax, reviewed, rules } from "./written-decisions.ts";

/** The tag of what is wrong with a record; `follows` when nothing is, `needs none` without rules. */
async function fault(record: JsonObject, policies = [rules]): Promise<string> {
  const replayed = await replayDecision(record as unknown as AuditRecord, policies);
  if (replayed === undefined) return "needs none";
  return replayed.ok ? "follows" : replayed.reason;
}

const small = decided({ minor: 10_000 });
const large = decided({ minor: 60_000 });
const huge = decided({ minor: 200_000 });

test("a decision that approves, escalates or denies as the rules say passes", async () => {
  expect([small, large, huge].map(({ decision }) => decision.outcome)).toEqual([
    "approved",
    "escalated",
    "rejected",
  ]);
  for (const record of [small, large, huge]) expect(await fault(record)).toBe("follows");
});

test("a decision that does not follow from the rules it names is found", async () => {
  expect(await fault(deciding(huge, { outcome: "approved" }))).toBe("decided_otherwise");
  expect(await fault(deciding(small, { outcome: "rejected" }))).toBe("decided_otherwise");
  expect(await fault(deciding(small, { rules: [] }))).toBe("decided_otherwise");
  expect(await fault(deciding(small, { outcome: {} }))).toBe("facts_invalid");
});

test("a decision by rules that are missing or different is found", async () => {
  expect(await fault(small, [])).toBe("policy_missing");
  const other = { ...rules, document: { ...rules.document, default: "escalate" } };
  expect(await fault(small, [other])).toBe("policy_invalid");
});

test("a decision that names no rules is found, unless it is a rejection", async () => {
  for (const outcome of ["approved", "escalated", "other", {}]) {
    const decision = { outcome, reason_codes: [] } as JsonObject;
    expect(await fault({ ...small, decision })).toBe("policy_unnamed");
    expect(await fault({ ...small, type: "checkout.decision", decision })).toBe("policy_unnamed");
  }
  expect(await fault({ type: "mandate.decision" })).toBe("policy_unnamed");
  const decision = { outcome: "rejected", reason_codes: ["cart_invalid"] };
  expect(await fault({ ...small, decision })).toBe("needs none");
});

test("a person's approval follows from rules that escalate", async () => {
  expect(await fault(reviewed(large, 2))).toBe("follows");
  expect(await fault(reviewed(large, 2, { outcome: "denied" }))).toBe("needs none");
});

test("a person's approval against a rule that denies is found, and so is one without rules", async () => {
  expect(await fault(reviewed(huge, 2))).toBe("decided_otherwise");
  const { decision: _, ...unasked } = reviewed(large, 2);
  expect(await fault(unasked)).toBe("policy_unnamed");
});

test.each([
  ["another rule", { rule_id: "never" }],
  ["no rule, where one decided", { rule_id: null }],
  ["reasons it does not have", { reason_codes: ["policy_denied"] }],
  ["no reasons at all", { reason_codes: null }],
  ["another version", { policy_version: 2 }],
])("a decision that gives %s is found", async (_, members) => {
  expect(await fault(deciding(small, members as JsonObject))).toBe("decided_otherwise");
});

test("an exhausted budget is distinguished from a denial by the rules", async () => {
  const spent = decided({ spent: 145_000 });
  expect(spent.decision.reason_codes).toEqual(["budget_exceeded"]);
  expect(await fault(spent)).toBe("follows");
  const blamed = deciding(spent, { reason_codes: ["policy_denied"] });
  expect(await fault(blamed)).toBe("decided_otherwise");
});

test("a decision by the default names no rule, and passes", async () => {
  const record = decided({ skill: "sign_up", by: lax });
  expect([record.decision.rule_id, record.decision.reason_codes]).toEqual([
    undefined,
    ["policy_denied", "default"],
  ]);
  expect(await fault(record, [lax])).toBe("follows");
  expect(await fault(deciding(record, { rule_id: "buying" }), [lax])).toBe("decided_otherwise");
});

test.each([
  ["agent", { agent: { id: "agt_2" } }],
  ["skill", { skill: "get_pricing" }],
  ["protocol", { protocol: "mcp" }],
  ["amount", { amount: { currency: "EUR", minor: 999_900 } }],
  ["currency", { amount: { currency: "USD", minor: 10_000 } }],
])("a record with another %s than its facts is found", async (what, members) => {
  const replayed = await replayDecision({ ...small, ...members } as unknown as AuditRecord, [
    rules,
  ]);
  const detail = `it was decided for a different ${what} than it says`;
  expect(replayed).toEqual({ ok: false, reason: "facts_contradicted", detail });
});

test("the end of a review is compared with its facts too", async () => {
  const other = { ...reviewed(large, 2), agent: { id: "agt_2" } };
  expect(await fault(other)).toBe("facts_contradicted");
});

test("an approval that does not name the agent of its mandate is found", async () => {
  for (const mandate of [{}, { mandate_id: "m-1" }, { digest: "00", mandate_id: "" }]) {
    expect(await fault({ ...small, mandate })).toBe("facts_contradicted");
  }
  expect(await fault({ ...huge, mandate: {} })).toBe("follows");
});
