import { describe, expect, test } from "vitest";
import { readPolicy } from "../src/policy/document.ts";
import { evaluatePolicy } from "../src/policy/evaluate.ts";
import type { PolicyFacts } from "../src/policy/facts.ts";
import { policyFindings } from "../src/policy/findings.ts";
import type { Policy } from "../src/policy/model.ts";
import { policyPreset } from "../src/policy/presets.ts";

describe("presets of a policy", () => {
  const limit = { limit: "50.00", currency: "EUR" };
  const preset = (name: Parameters<typeof policyPreset>[0], options = {}) => {
    const made = policyPreset(name, options);
    if (!made.ok) throw new Error(made.detail);
    const read = readPolicy(made.value);
    if (!read.ok) throw new Error(read.detail);
    return read.value;
  };
  const facts = (total?: number, currency = "EUR", spent = 0): PolicyFacts => ({
    skill: "place_order",
    protocol: "ap2",
    time: { local: "12:00" },
    agent: { id: "agt_fern", tags: [], age_days: 0 },
    ...(total !== undefined && {
      cart: { total, currency },
      spend: [{ scope: "agent", window: "P1D", currency, minor: spent }],
    }),
  });

  test.each(["read_only", "ask_always", "automatic_under"] as const)(
    "%s can be published without warnings",
    (name) => {
      const options = { timezone: "Asia/Tokyo", ...(name === "automatic_under" ? limit : {}) };
      const policy = preset(name, options);
      expect([policy.timezone, policyFindings(policy)]).toEqual(["Asia/Tokyo", []]);
    },
  );

  test.each<[name: string, of: PolicyFacts, readOnly: string, ask: string, automatic: string]>([
    ["no cart", facts(), "approved", "escalated", "approved"],
    ["the limit", facts(5000), "rejected", "escalated", "approved"],
    ["a cent more", facts(5001), "rejected", "escalated", "escalated"],
    ["another currency", facts(1, "USD"), "rejected", "escalated", "escalated"],
    ["the last of the day", facts(5000, "EUR", 45_000), "rejected", "escalated", "approved"],
    ["over the day", facts(5000, "EUR", 45_001), "rejected", "escalated", "escalated"],
  ])("decide as expected for %s", (_name, of, readOnly, ask, automatic) => {
    const outcome = (policy: Policy) => evaluatePolicy(policy, of).outcome;
    expect([
      outcome(preset("read_only")),
      outcome(preset("ask_always")),
      outcome(preset("automatic_under", limit)),
    ]).toEqual([readOnly, ask, automatic]);
  });

  test("are refused without a required value, or with one they do not use", () => {
    const reason = (name: Parameters<typeof policyPreset>[0], options: object) => {
      const made = policyPreset(name, options);
      return made.ok ? "made" : made.detail;
    };
    expect(reason("automatic_under", { limit: "50.00" })).toBe(
      "limit and currency: the currency is not an active ISO 4217 code",
    );
    expect(reason("automatic_under", { limit: "0", currency: "EUR" })).toBe(
      "limit: must be more than zero",
    );
    expect(reason("automatic_under", { limit: "99999999999.9999", currency: "CLF" })).toBe(
      "limit: is too large",
    );
    expect(reason("read_only", limit)).toBe("read_only has no limit");
    expect(reason("read_only", { timezone: "Mars" })).toBe(
      "timezone: must be a time zone name, such as Europe/Berlin",
    );
  });
});
