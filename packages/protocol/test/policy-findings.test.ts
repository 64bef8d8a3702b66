import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../src/index.ts";
import { readPolicy } from "../src/policy/document.ts";
import { evaluatePolicy } from "../src/policy/evaluate.ts";
import type { PolicyFacts } from "../src/policy/facts.ts";
import { policyFindings } from "../src/policy/findings.ts";
import type { Policy } from "../src/policy/model.ts";
import type { PolicySiteFacts } from "../src/policy/overlaps.ts";
import { fuzzRuns } from "./fuzz.ts";

const frame = { policy: "rules/1", timezone: "Europe/Berlin", default: "deny" };
const skill = (...ids: string[]) => ({ skill: { in: ids } });
const over = (limits: JsonObject) => ({ "cart.total": { gt: limits } });
const rule = (id: string, effect: string, when: JsonValue, more: JsonObject = {}) => ({
  id,
  effect,
  when,
  ...more,
});
const open = rule("open", "allow", skill("get_pricing", "contact_support"));
const hasCart = { "cart.total": { exists: true } };

function policyOf(rules: readonly JsonValue[], more: JsonObject = {}): Policy {
  const read = readPolicy({ ...frame, rules, ...more });
  if (!read.ok) throw new Error(read.detail);
  return read.value;
}

const findings = (rules: readonly JsonValue[], more: JsonObject = {}) =>
  policyFindings(policyOf(rules, more)).map(
    ({ level, code, rule: id }) => `${level} ${code}${id === undefined ? "" : ` ${id}`}`,
  );

describe("a condition that can never be true is an error,", () => {
  const age = (operator: string, days: number) => ({ "agent.age_days": { [operator]: days } });
  const between = (start: string, end: string) => ({ "time.local": { between: [start, end] } });
  const count = (gt: number) => ({ count: { scope: "agent", window: "P1D", gt } });
  const spend = (EUR: string) => ({
    spend: { scope: "agent", window: "P1D", would_exceed: { EUR } },
  });
  const tags = (...any_of: string[]) => ({ "agent.tags": { any_of } });

  test.each<[name: string, when: JsonValue]>([
    ["ages that exclude each other", { all: [age("lt", 7), age("gt", 7)] }],
    ["ages without a whole number between", { all: [age("gt", 6), age("lt", 7)] }],
    ["an age below zero", age("lt", 0)],
    [
      "totals that exclude each other",
      { all: [over({ EUR: "500" }), { "cart.total": { lt: { EUR: "500.01" } } }] },
    ],
    ["totals in two currencies", { all: [over({ EUR: "1" }), over({ USD: "1" })] }],
    ["two skills at once", { all: [skill("a", "b"), { skill: { eq: "c" } }] }],
    [
      "a skill and a prefix that it lacks",
      { all: [{ skill: { prefix: "get_" } }, skill("sign_up")] },
    ],
    ["a text and its opposite", { all: [skill("a"), { not: skill("a", "b") }] }],
    ["times that do not meet", { all: [between("09:00", "12:00"), between("12:00", "15:00")] }],
    [
      "times around midnight that do not meet",
      { all: [between("22:00", "06:00"), between("06:00", "22:00")] },
    ],
    ["tags that are excluded", { all: [tags("a", "b"), { not: tags("a") }, { not: tags("b") }] }],
    ["counts that exclude each other", { all: [count(5), { not: count(4) }] }],
    ["less spent than is in the cart", { all: [over({ EUR: "100" }), { not: spend("100") }] }],
    ["a cart and no cart at once", { all: [{ "cart.currency": { eq: "EUR" } }, { not: hasCart }] }],
    [
      "an any without a possible branch",
      { all: [{ any: [age("lt", 3), age("gt", 9)] }, age("eq", 5)] },
    ],
  ])("such as %s", (_name, when) => {
    expect(findings([open, rule("bad", "deny", when)])).toEqual(["error never_matches bad"]);
  });

  test.each<[name: string, when: JsonValue]>([
    ["ages with a day between", { all: [age("gt", 6), age("lt", 8)] }],
    ["a longer text", { all: [{ skill: { prefix: "get_" } }, { not: skill("get_") }] }],
    [
      "times that meet for a minute",
      { all: [between("09:00", "12:01"), between("12:00", "15:00")] },
    ],
    ["tags of two kinds", { all: [tags("a", "b"), tags("c"), { not: tags("a") }] }],
    ["more spent than is in the cart", { all: [{ not: over({ EUR: "100" }) }, spend("900")] }],
    [
      "an any with one possible branch",
      { all: [{ any: [age("lt", 3), age("gt", 9)] }, age("lt", 2)] },
    ],
  ])("but %s can be true", (_name, when) => {
    expect(findings([open, rule("fine", "allow", when)])).toEqual([]);
  });

  test("but only a warning in a rule that is only monitored, or if the fact is always known", () => {
    const bad = { all: [age("lt", 7), age("gt", 7)] };
    expect(findings([open, rule("bad", "deny", bad, { mode: "monitor" })])).toEqual([
      "warning never_matches bad",
    ]);
    expect(findings([open, rule("safe", "deny", { skill: { exists: false } })])).toEqual([
      "warning never_matches safe",
    ]);
  });
});

describe("a policy is reported with a warning for", () => {
  test("a rule that denies everything, and then with no other", () => {
    const stop = rule("stop", "deny", { skill: { exists: true } });
    expect(findings([open, stop])).toEqual(["warning always_denies stop"]);
    const count = { count: { scope: "site", window: "PT1M", gt: 0 } };
    expect(findings([open, rule("count", "deny", count)])).toEqual(["warning always_denies count"]);
    const known = { "cart.total": { gte: { EUR: "0" } } };
    expect(findings([open, rule("cart", "deny", known)])).toEqual(["warning always_denies cart"]);
    expect(findings([open, { ...stop, mode: "monitor" }])).toEqual([]);
  });

  test("rules that one denial covers, or several cover together", () => {
    const help = rule("help", "allow", skill("contact_support"));
    const no = rule("no", "deny", skill("contact_support", "sign_up"));
    expect(findings([open, help, no])).toEqual(["warning shadowed help"]);
    expect(findings([open, { ...help, effect: "escalate" }, no])).toEqual([
      "warning shadowed help",
    ]);
    const young = { all: [skill("contact_support"), { "agent.age_days": { lt: 7 } }] };
    const old = { all: [skill("contact_support"), { "agent.age_days": { gte: 7 } }] };
    const both = [rule("young", "deny", young), rule("old", "deny", old)];
    expect(findings([open, help, ...both])).toEqual(["warning shadowed help"]);
    expect(policyFindings(policyOf([open, help, ...both]))[0]?.message).toBe(
      "The rule “help” never has an effect, because other rules decline everything that it matches. Change or remove one of them.",
    );
    expect(findings([open, help, both[0] ?? ""])).toEqual([]);
  });

  test("a rule that allows what other rules always send to review", () => {
    const help = rule("help", "allow", skill("contact_support"));
    const ask = rule("ask", "escalate", skill("contact_support", "sign_up"));
    expect(findings([open, help, ask])).toEqual(["warning shadowed help"]);
    expect(policyFindings(policyOf([open, help, ask]))[0]?.message).toBe(
      "The rule “help” never has an effect, because “ask” asks for a review of everything that it matches. Change or remove one of them.",
    );
  });

  test("a rule about actions or currencies that the site does not have", () => {
    const help = rule("help", "deny", skill("contact_support"));
    const euros = rule("euros", "allow", { "cart.total": { lte: { EUR: "50.00" } } });
    const codes = (site: PolicySiteFacts) =>
      policyFindings(policyOf([rule("prices", "allow", skill("get_pricing")), help, euros]), site)
        .map(({ code, rule: id }) => `${code} ${id}`)
        .filter((text) => /offered|used/.test(text));
    expect(codes({})).toEqual([]);
    expect(codes({ offered: ["get_pricing", "place_order"], currencies: ["EUR"] })).toEqual([
      "skill_not_offered help",
    ]);
    expect(codes({ currencies: ["USD", "CHF"] })).toEqual(["currency_not_used euros"]);
    // Above an unknown amount it asks, so a rule in another currency has an effect.
    const asking = policyOf([rule("ask", "escalate", { "cart.total": { gt: { EUR: "50.00" } } })]);
    const found = policyFindings(asking, { currencies: ["USD"] }).map(({ code }) => code);
    expect(found.filter((code) => code === "currency_not_used")).toEqual([]);
  });

  test("no way to an approval, if nothing is escalated by default", () => {
    const ask = rule("ask", "escalate", skill("get_pricing", "contact_support"));
    expect(findings([open, ask])).toEqual(["warning shadowed open", "warning nothing_approved"]);
    expect(findings([ask])).toEqual([]);
    expect(findings([rule("no", "deny", skill("sign_up"))])).toEqual(["warning nothing_approved"]);
    expect(findings([rule("no", "deny", skill("sign_up"))], { default: "escalate" })).toEqual([]);
  });

  test("a repeated rule or condition, and more approvals than people are likely to give", () => {
    expect(findings([open, { ...open, id: "again" }])).toEqual(["warning duplicate_rule again"]);
    const twice = { any: [skill("sign_up"), skill("sign_up")] };
    expect(findings([open, rule("twice", "deny", twice)])).toEqual([
      "warning duplicate_condition twice",
    ]);
    const ask = (approvals: number) =>
      rule("ask", "escalate", skill("sign_up"), { escalation: { expires_in: "PT4H", approvals } });
    expect(findings([open, ask(3)])).toEqual([]);
    expect(findings([open, ask(4)])).toEqual(["warning many_approvals ask"]);
  });
});

describe("a fact that may be unknown counts against the agent, so a policy is reported with a warning for", () => {
  const cap = rule("cap", "deny", over({ EUR: "200.00" }));

  test("a rule about carts that also stops requests without one", () => {
    expect(findings([open, cap])).toEqual(["warning without_cart cap"]);
    expect(findings([open, { ...cap, effect: "escalate" }])).toEqual(["warning without_cart cap"]);
    const currencies = rule("currencies", "deny", { "cart.currency": { not_in: ["EUR"] } });
    expect(findings([open, currencies])).toEqual(["warning without_cart currencies"]);
    expect(findings([open, cap, currencies])).toEqual([
      "warning without_cart cap",
      "warning without_cart currencies",
    ]);
  });

  test("a rule about carts, unless it asks for a cart, is only monitored, or nothing without one gets through", () => {
    expect(findings([open, rule("cap", "deny", { all: [hasCart, cap.when] })])).toEqual([]);
    expect(findings([open, { ...cap, mode: "monitor" }])).toEqual([]);
    expect(
      findings([rule("buy", "allow", skill("place_order", "complete_checkout")), cap]),
    ).toEqual([]);
    const small = rule("small", "allow", { "cart.total": { lte: { EUR: "50.00" } } });
    expect(findings([small, cap])).toEqual([]);
    const ap2 = { all: [{ protocol: { eq: "ap2" } }, cap.when] };
    expect(findings([open, rule("cap", "deny", ap2)])).toEqual([]);
    const paid = rule("paid", "deny", { not: hasCart });
    expect(findings([rule("any", "allow", { skill: { exists: true } }), paid, cap])).toEqual([]);
  });

  test("an amount missing in a currency that another rule uses", () => {
    const buy = rule("buy", "allow", skill("place_order"));
    const currencies = rule("only", "deny", { "cart.currency": { not_in: ["EUR", "USD"] } });
    expect(findings([buy, currencies, cap])).toEqual(["warning currency_missing cap"]);
    expect(policyFindings(policyOf([buy, currencies, cap]))[0]?.message).toBe(
      "The rule “cap” has no amount in USD, which “only” uses, so it declines carts in USD at any price. Add an amount in USD.",
    );
    const both = rule("cap", "deny", over({ EUR: "200.00", USD: "200.00" }));
    expect(findings([buy, currencies, both])).toEqual([]);
    const euros = { all: [{ "cart.currency": { eq: "EUR" } }, cap.when] };
    expect(findings([buy, currencies, rule("cap", "deny", euros)])).toEqual([]);
    const small = rule("small", "allow", { "cart.total": { lte: { EUR: "50.00" } } });
    expect(findings([small, currencies])).toEqual(["warning currency_missing small"]);
    expect(findings([small, currencies], { default: "escalate" })).toEqual([
      "warning without_cart only",
    ]);
  });

  test("the incomplete example of the guide, because it stops free requests", () => {
    const EUR_USD = (amount: string) => over({ EUR: amount, USD: amount });
    const rules = [
      rule("cur-allow", "deny", { "cart.currency": { not_in: ["EUR", "USD"] } }),
      rule("cart-hard", "deny", EUR_USD("2000.00")),
      rule("new-agent", "escalate", {
        all: [{ "agent.age_days": { lt: 7 } }, EUR_USD("50.00")],
      }),
      rule("night", "escalate", { "time.local": { between: ["23:00", "06:00"] } }),
    ];
    const buys = rule("buys", "allow", skill("complete_checkout"));
    expect(findings([...rules, buys])).toEqual([]);
    expect(findings([...rules, open, buys])).toEqual([
      "warning without_cart cur-allow",
      "warning without_cart cart-hard",
      "warning without_cart new-agent",
    ]);
  });
});

test("an analysis that takes too long is left out, and ends in time", () => {
  // Nine pigeons do not fit into eight holes, but who looks for a way has to try nearly all.
  const holes = Array.from({ length: 8 }, (_, hole) => hole);
  const pigeons = Array.from({ length: 9 }, (_, pigeon) => pigeon);
  const sits = (pigeon: number, ...where: number[]) => ({
    "agent.tags": { any_of: where.map((hole) => `${pigeon}${hole}`) },
  });
  const alone = holes.flatMap((hole) =>
    pigeons.flatMap((one) =>
      pigeons
        .filter((other) => other > one)
        .map((other) => ({ not: { all: [sits(one, hole), sits(other, hole)] } })),
    ),
  );
  const all = [...pigeons.map((pigeon) => sits(pigeon, ...holes)), ...alone];
  expect(findings([open, rule("tangled", "deny", { all })])).toEqual([]);
});

/** Few values, so that conditions meet often. */
const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  fc
    .constantFrom("eq", "prefix")
    .chain((op) => fc.constantFrom("a", "ab", "b").map((v) => ({ skill: { [op]: v } }))),
  fc.subarray(["a", "ab", "b"], { minLength: 1 }).map((values) => ({ skill: { not_in: values } })),
  fc.constantFrom("EUR", "USD", "CHF").map((code) => ({ "cart.currency": { eq: code } })),
  fc
    .constantFrom("gt", "gte", "lt", "lte")
    .chain((op) =>
      fc
        .constantFrom<JsonObject[]>({ EUR: "0.02" }, { EUR: "0.01", USD: "0.02" }, { USD: "0" })
        .map((limits) => ({ "cart.total": { [op]: limits } })),
    ),
  fc.boolean().map((there) => ({ "cart.total": { exists: there } })),
  fc.subarray(["x", "y"], { minLength: 1 }).map((any_of) => ({ "agent.tags": { any_of } })),
  fc
    .tuple(fc.constantFrom("gt", "lt", "eq"), fc.nat(3))
    .map(([op, n]) => ({ "agent.age_days": { [op]: n } })),
  fc
    .constantFrom(["00:00", "12:00"], ["06:00", "18:00"], ["18:00", "06:00"])
    .map((between) => ({ "time.local": { between } })),
  fc
    .constantFrom("0.01", "0.03")
    .map((EUR) => ({ spend: { scope: "agent", window: "P1D", would_exceed: { EUR } } })),
  fc.nat(2).map((gt) => ({ count: { scope: "agent", window: "P1D", gt } })),
);
const grow = (inner: fc.Arbitrary<JsonValue>) => {
  const some = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    inner,
    inner.map((not) => ({ not })),
    some.map((all) => ({ all })),
    some.map((any) => ({ any })),
  );
};
const rules = fc
  .array(fc.tuple(fc.constantFrom("allow", "deny", "escalate"), grow(grow(leaf))), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list) => list.map(([effect, when], i) => rule(`r${i}`, effect, when)));
/** As Gatehouse has them: all but the cart are known. */
const someFacts: fc.Arbitrary<PolicyFacts> = fc
  .record({
    skill: fc.constantFrom("a", "ab", "abc", "b", "c"),
    tags: fc.subarray(["x", "y", "z"]),
    age_days: fc.nat(4),
    local: fc.constantFrom("00:00", "05:59", "06:00", "11:59", "12:00", "18:00", "23:59"),
    cart: fc.option(
      fc.record({ total: fc.nat(4), currency: fc.constantFrom("EUR", "USD", "CHF", "JPY") }),
      { nil: undefined },
    ),
    minor: fc.nat(4),
    value: fc.nat(4),
  })
  .map(({ skill: id, tags, age_days, local, cart, minor, value }) => ({
    skill: id,
    protocol: "a2a",
    agent: { id: "agt", tags, age_days },
    time: { local },
    ...(cart !== undefined && {
      cart,
      spend: [{ scope: "agent", window: "P1D", currency: cart.currency, minor } as const],
    }),
    count: [{ scope: "agent", window: "P1D", value }],
  }));

test("every finding is true for all facts, and rules without an effect can be removed", () => {
  let reported = 0;
  fc.assert(
    fc.property(rules, fc.array(someFacts, { minLength: 20, maxLength: 20 }), (list, samples) => {
      const policy = policyOf(list);
      for (const { code, rule: id } of policyFindings(policy)) {
        const one = policy.rules.find((candidate) => candidate.id === id);
        const rest = { ...policy, rules: policy.rules.filter((other) => other !== one) };
        for (const facts of samples) {
          const { outcome, rules: trace } = evaluatePolicy(policy, facts);
          const result = trace.find((entry) => entry.id === id)?.result;
          if (code === "never_matches") expect(result === "matched").toBe(false);
          const idle = code === "shadowed" || (code === "never_matches" && one?.effect === "allow");
          if (idle) expect(evaluatePolicy(rest, facts).outcome).toBe(outcome);
          if (code === "always_denies") expect(outcome).toBe("rejected");
          if (code === "nothing_approved") expect(outcome === "approved").toBe(false);
        }
        reported++;
      }
    }),
    { ...fuzzRuns, numRuns: Math.ceil(fuzzRuns.numRuns / 20) },
  );
  expect(reported > 0).toBe(true);
});

test("a skill that the site does not have is reported if its skills are known", () => {
  const slip = rule("slip", "deny", {
    any: [skill("get_pricng", "get_pricing"), skill("get_pricng")],
  });
  const prefix = rule("all", "allow", { skill: { prefix: "get_pricng" } });
  const policy = policyOf([slip, prefix]);
  const unknown = (isSkill?: (id: string) => boolean) =>
    policyFindings(policy, isSkill && { isSkill }).filter(({ code }) => code === "unknown_skill");
  expect(unknown()).toEqual([]);
  const [found, ...more] = unknown((id) => id === "get_pricing");
  expect([found?.rule, found?.level, more]).toEqual(["slip", "warning", []]);
  expect(found?.message.includes("“get_pricng”")).toBe(true);
});
