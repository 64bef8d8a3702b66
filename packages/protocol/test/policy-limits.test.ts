import { expect, test } from "vitest";
import { policyFindings, policyPreset, readPolicy } from "../src/index.ts";

/** The preset with another amount in one of its rules. */
function withLimit(id: string, amount: string) {
  const preset = policyPreset("automatic_under", { limit: "50.00", currency: "EUR" });
  if (!preset.ok) throw new Error(preset.detail);
  const text = JSON.stringify(preset.value);
  const document = JSON.parse(text) as { rules: { id: string }[] };
  const rules = document.rules.map((rule) =>
    rule.id === id ? JSON.parse(JSON.stringify(rule).replaceAll("50.00", amount)) : rule,
  );
  const policy = readPolicy({ ...document, rules } as never);
  if (!policy.ok) throw new Error(policy.detail);
  return policyFindings(policy.value).filter(({ code }) => code === "limit_without_effect");
}

const [allowing, asking] = (() => {
  const preset = policyPreset("automatic_under", { limit: "50.00", currency: "EUR" });
  const rules = (preset.ok ? preset.value.rules : []) as { id: string; effect: string }[];
  const amounts = rules.filter((rule) => JSON.stringify(rule).includes('"50.00"'));
  const idOf = (effect: string) => amounts.find((rule) => rule.effect === effect)?.id ?? "";
  return [idOf("allow"), idOf("escalate")];
})();

test("the preset has limits that take effect", () => {
  expect(withLimit("none", "50.00")).toEqual([]);
});

test("a limit that was raised in one rule only is reported, with the rule that stops it", () => {
  expect(withLimit(allowing, "80.00")).toEqual([
    {
      level: "warning",
      code: "limit_without_effect",
      rule: allowing,
      message: `The rule “${allowing}” allows carts up to 80.00 EUR, but “${asking}” asks for a review of carts of that amount. Change the amount there too.`,
    },
  ]);
});

test("a limit that was lowered in the rule that allows is not reported", () => {
  expect(withLimit(allowing, "30.00")).toEqual([]);
});
