import { expect, test } from "vitest";
import {
  type AuditRecord,
  evaluatePolicy,
  type JsonObject,
  policyDigest,
  readPolicy,
  replayDecision,
} from "../src/index.ts";

const rule = (id: string, effect: string) => ({
  id,
  effect,
  when: { skill: { eq: "get_pricing" } },
});

/** A review's record, as one who follows the rules would write it, but for how the person decided. */
async function reviewed(effect: string, outcome: string) {
  const rules = [rule("links", "allow"), rule("second", effect)];
  const document = { policy: "rules/1", timezone: "UTC", default: "deny", rules } as JsonObject;
  const policy = readPolicy(document);
  if (!policy.ok) throw new Error(policy.detail);
  const facts = { skill: "get_pricing" };
  const decided = evaluatePolicy(policy.value, facts);
  const digest = await policyDigest(document);
  const decision = { outcome: decided.outcome, facts, rules: decided.rules, policy_digest: digest };
  const record = { type: "review.decision", decision, review: { outcome } };
  const versions = [{ version: 1, digest, document }];
  return replayDecision(record as unknown as AuditRecord, versions);
}

test("a person's approval of what the rules leave to a person follows from them", async () => {
  expect(await reviewed("escalate", "approved")).toEqual({ ok: true, value: true });
  expect(await reviewed("deny", "invalidated")).toEqual({ ok: true, value: true });
});

test("a person's approval past a rule that denies is found", async () => {
  const found = await reviewed("deny", "approved");
  expect(found?.ok === false ? found.reason : "").toBe("decided_otherwise");
});
