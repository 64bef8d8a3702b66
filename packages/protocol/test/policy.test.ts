import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalBytes, type JsonObject, type JsonValue, parseJson } from "../src/index.ts";
import { policyDigest, readPolicy } from "../src/policy/document.ts";
import { POLICY_WINDOWS, policyDurationMs } from "../src/policy/duration.ts";
import { evaluatePolicy } from "../src/policy/evaluate.ts";
import { type PolicyFacts, readPolicyFacts } from "../src/policy/facts.ts";
import type { Policy } from "../src/policy/model.ts";
import { factsNeeded } from "../src/policy/needs.ts";
import { fuzzRuns } from "./fuzz.ts";

const frame = { policy: "rules/1", timezone: "Europe/Berlin", default: "deny" };
const always = { skill: { exists: true } };
const never = { skill: { exists: false } };
const unclear = { "agent.id": { eq: "x" } };
const someRule = { id: "some", effect: "allow", when: always };

function policyOf(rules: JsonValue, more: JsonObject = {}): Policy {
  const read = readPolicy({ ...frame, rules, ...more });
  if (!read.ok) throw new Error(read.detail);
  return read.value;
}

/** What becomes of one condition. */
function trace(when: JsonValue, facts: PolicyFacts): string | undefined {
  return evaluatePolicy(policyOf([{ id: "r", effect: "allow", when }]), facts).rules[0]?.result;
}

function detailOf(document: JsonValue): string {
  const read = readPolicy(document);
  return read.ok ? "accepted" : read.detail;
}

const facts: PolicyFacts = {
  skill: "complete_checkout",
  protocol: "ap2",
  cart: { total: 10_000, currency: "EUR" },
  agent: { id: "agt_fern", tags: ["florist", "trusted"], age_days: 7 },
  time: { local: "12:00" },
  spend: [
    { scope: "agent", window: "P1D", currency: "EUR", minor: 90_000 },
    { scope: "agent", window: "P7D", currency: "EUR", minor: 95_000 },
    { scope: "site", window: "P1D", currency: "EUR", minor: 500_000 },
    { scope: "agent", window: "P1D", currency: "USD", minor: 1 },
  ],
  count: [
    { scope: "agent", window: "PT10M", value: 5 },
    { scope: "agent", window: "PT1H", value: 30 },
    { scope: "site", window: "PT10M", value: 100 },
  ],
};

const spend = (scope: string, window: string, amount: string, currency = "EUR") => ({
  spend: { scope, window, would_exceed: { [currency]: amount } },
});
const count = (scope: string, window: string, gt: number) => ({ count: { scope, window, gt } });

describe("an operator is true, false, or unknown without its fact:", () => {
  const rows: [name: string, holds: JsonValue, fails: JsonValue][] = [
    ["eq of a text", { skill: { eq: "complete_checkout" } }, { skill: { eq: "complete" } }],
    ["in", { protocol: { in: ["a2a", "ap2"] } }, { protocol: { in: ["a2a", "mcp"] } }],
    ["not_in", { protocol: { not_in: ["a2a"] } }, { protocol: { not_in: ["a2a", "ap2"] } }],
    ["prefix", { "agent.id": { prefix: "agt_" } }, { "agent.id": { prefix: "fern" } }],
    ["eq of a currency", { "cart.currency": { eq: "EUR" } }, { "cart.currency": { eq: "USD" } }],
    ["any_of", { "agent.tags": { any_of: ["x", "trusted"] } }, { "agent.tags": { any_of: ["x"] } }],
    ["eq of a number", { "agent.age_days": { eq: 7 } }, { "agent.age_days": { eq: 6 } }],
    ["gt of a number", { "agent.age_days": { gt: 6 } }, { "agent.age_days": { gt: 7 } }],
    ["gte of a number", { "agent.age_days": { gte: 7 } }, { "agent.age_days": { gte: 8 } }],
    ["lt of a number", { "agent.age_days": { lt: 8 } }, { "agent.age_days": { lt: 7 } }],
    ["lte of a number", { "agent.age_days": { lte: 7 } }, { "agent.age_days": { lte: 6 } }],
    ["gt", { "cart.total": { gt: { EUR: "99.99" } } }, { "cart.total": { gt: { EUR: "100" } } }],
    [
      "gte",
      { "cart.total": { gte: { EUR: "100" } } },
      { "cart.total": { gte: { EUR: "100.01" } } },
    ],
    ["lt", { "cart.total": { lt: { EUR: "100.01" } } }, { "cart.total": { lt: { EUR: "100" } } }],
    ["lte", { "cart.total": { lte: { EUR: "100" } } }, { "cart.total": { lte: { EUR: "99.99" } } }],
    [
      "between",
      { "time.local": { between: ["11:00", "13:00"] } },
      { "time.local": { between: ["13:00", "14:00"] } },
    ],
    ["would_exceed", spend("agent", "P1D", "999.99"), spend("agent", "P1D", "1000.00")],
    ["would_exceed by window", spend("agent", "P7D", "1049.99"), spend("agent", "P7D", "1050")],
    ["would_exceed by scope", spend("site", "P1D", "5099.99"), spend("site", "P1D", "5100")],
    ["count gt", count("agent", "PT10M", 5), count("agent", "PT10M", 6)],
    ["count gt by window", count("agent", "PT1H", 30), count("agent", "PT1H", 31)],
    ["count gt by scope", count("site", "PT10M", 100), count("site", "PT10M", 101)],
  ];

  test.each(rows)("it is evaluated for %s", (_name, holds, fails) => {
    expect([trace(holds, facts), trace(fails, facts)]).toEqual(["matched", "not_matched"]);
    expect([trace(holds, {}), trace(fails, {})]).toEqual(["unknown", "unknown"]);
  });

  test.each(["skill", "protocol", "cart.total", "cart.currency", "agent.id", "agent.tags"])(
    "exists of %s is never unknown",
    (fact) => {
      const [there, gone] = [{ [fact]: { exists: true } }, { [fact]: { exists: false } }];
      expect([trace(there, facts), trace(gone, facts)]).toEqual(["matched", "not_matched"]);
      expect([trace(there, {}), trace(gone, {})]).toEqual(["not_matched", "matched"]);
    },
  );

  test("each text fact is read from its own member", () => {
    const own: PolicyFacts = {
      skill: "a",
      protocol: "b",
      cart: { total: 0, currency: "EUR" },
      agent: { id: "c" },
    };
    const eq = (fact: string, value: string) => trace({ [fact]: { eq: value } }, own);
    expect([eq("skill", "a"), eq("protocol", "b")]).toEqual(["matched", "matched"]);
    expect([eq("cart.currency", "EUR"), eq("agent.id", "c")]).toEqual(["matched", "matched"]);
  });

  test("a known agent may still have no tags and no age", () => {
    const bare: PolicyFacts = { agent: { id: "agt_fern" } };
    expect(trace({ "agent.tags": { any_of: ["x"] } }, bare)).toBe("unknown");
    expect(trace({ "agent.tags": { exists: true } }, bare)).toBe("not_matched");
    expect(trace({ "agent.age_days": { lt: 7 } }, bare)).toBe("unknown");
    const untagged: PolicyFacts = { agent: { id: "agt_fern", tags: [] } };
    expect(trace({ "agent.tags": { any_of: ["x"] } }, untagged)).toBe("not_matched");
    expect(trace({ "agent.tags": { exists: true } }, untagged)).toBe("matched");
  });

  test("a text is compared exactly, never as a pattern or without case", () => {
    expect(trace({ "agent.id": { eq: "AGT_FERN" } }, facts)).toBe("not_matched");
    expect(trace({ "agent.id": { prefix: "agt." } }, facts)).toBe("not_matched");
    expect(trace({ "agent.id": { prefix: "agt_fern_and_more" } }, facts)).toBe("not_matched");
  });
});

describe("money", () => {
  const dearer = (total: number, currency: string, limit: string) =>
    trace({ "cart.total": { gt: { [currency]: limit } } }, { cart: { total, currency } });

  test.each([
    ["EUR", "250.00", 25_000],
    ["EUR", "0.1", 10],
    ["EUR", "0", 0],
    ["JPY", "500", 500],
    ["KWD", "1.005", 1005],
    ["BHD", "0.1", 100],
    ["CLF", "1.2345", 12_345],
    ["EUR", "21474836.48", 2 ** 31],
    ["EUR", "42949672.96", 2 ** 32],
    ["EUR", "999999999999.99", 99_999_999_999_999],
  ])("in %s: %s is exceeded by one minor unit more", (currency, limit, minor) => {
    const results = [dearer(minor, currency, limit), dearer(minor + 1, currency, limit)];
    expect(results).toEqual(["not_matched", "matched"]);
  });

  test("in a currency that the rule does not name is unknown", () => {
    const cart: PolicyFacts = { ...facts, cart: { total: 1, currency: "CHF" } };
    const map = { EUR: "1", USD: "1" };
    for (const operator of ["gt", "gte", "lt", "lte"]) {
      expect(trace({ "cart.total": { [operator]: map } }, cart)).toBe("unknown");
    }
    const when = { spend: { scope: "agent", window: "P1D", would_exceed: map } };
    expect(trace(when, cart)).toBe("unknown");
  });

  test("is compared with the limit in the cart's own currency", () => {
    const when = { "cart.total": { gt: { JPY: "1", EUR: "100.00", USD: "1" } } };
    expect(trace(when, facts)).toBe("not_matched");
    const dollars: PolicyFacts = { cart: { total: 101, currency: "USD" } };
    expect(trace(when, dollars)).toBe("matched");
  });

  test("spent is looked up by scope, window and currency together", () => {
    const one = (entry: { scope?: "site"; window?: "P7D"; currency?: string }): PolicyFacts => ({
      cart: { total: 1, currency: "EUR" },
      spend: [{ scope: "agent", window: "P1D", currency: "EUR", minor: 5, ...entry }],
    });
    const when = spend("agent", "P1D", "0.01");
    expect(trace(when, one({}))).toBe("matched");
    expect(trace(when, one({ scope: "site" }))).toBe("unknown");
    expect(trace(when, one({ window: "P7D" }))).toBe("unknown");
    expect(trace(when, one({ currency: "USD" }))).toBe("unknown");
    expect(trace(count("agent", "P1D", 1), { count: [] })).toBe("unknown");
  });

  test("spent and in the cart is added without rounding at the edge of exact integers", () => {
    const max = Number.MAX_SAFE_INTEGER;
    const sum = (minor: number, total: number): PolicyFacts => ({
      cart: { total, currency: "UYW" },
      spend: [{ scope: "site", window: "P31D", currency: "UYW", minor }],
    });
    const when = spend("site", "P31D", "900719925474.0991", "UYW");
    expect(trace(when, sum(max - 1, 1))).toBe("not_matched");
    expect(trace(when, sum(max, 0))).toBe("not_matched");
    expect(trace(when, sum(max - 1, 2))).toBe("matched");
    expect(trace(when, sum(max, max))).toBe("matched");
    const under = spend("site", "P31D", "900719925474.0990", "UYW");
    expect(trace(under, sum(max - 2, 1))).toBe("not_matched");
    expect(trace(under, sum(max - 2, 2))).toBe("matched");
  });
});

describe("the condition time.local", () => {
  const at = (local: string, start: string, end: string) =>
    trace({ "time.local": { between: [start, end] } }, { time: { local } });

  test.each([
    ["08:59", "not_matched"],
    ["09:00", "matched"],
    ["16:59", "matched"],
    ["17:00", "not_matched"],
  ])("at %s includes the start of 09:00–17:00 and excludes its end", (local, result) => {
    expect(at(local, "09:00", "17:00")).toBe(result);
  });

  test.each([
    ["22:59", "not_matched"],
    ["23:00", "matched"],
    ["23:59", "matched"],
    ["00:00", "matched"],
    ["05:59", "matched"],
    ["06:00", "not_matched"],
    ["12:00", "not_matched"],
  ])("at %s handles 23:00–06:00 across midnight", (local, result) => {
    expect(at(local, "23:00", "06:00")).toBe(result);
  });

  test("may end or start at midnight", () => {
    expect([at("23:59", "22:00", "00:00"), at("00:00", "22:00", "00:00")]).toEqual([
      "matched",
      "not_matched",
    ]);
    expect([at("00:00", "00:00", "06:00"), at("23:59", "00:00", "06:00")]).toEqual([
      "matched",
      "not_matched",
    ]);
  });
});

describe("the condition count is true if the request would be more than the n-th:", () => {
  test.each([
    [0, 0, "matched"],
    [0, 1, "not_matched"],
    [4, 5, "not_matched"],
    [5, 5, "matched"],
    [6, 5, "matched"],
  ])("%i so far, gt %i: %s", (value, gt, result) => {
    const so: PolicyFacts = { count: [{ scope: "agent", window: "PT10M", value }] };
    expect(trace(count("agent", "PT10M", gt), so)).toBe(result);
  });
});

describe("conditions combine with three values:", () => {
  const [yes, no, maybe] = [always, never, unclear];
  const known: PolicyFacts = { skill: "s" };

  test.each<[name: string, when: JsonValue, result: string]>([
    ["all of matched", { all: [yes, yes] }, "matched"],
    ["all with a false", { all: [yes, maybe, no] }, "not_matched"],
    ["all with an unknown", { all: [yes, maybe] }, "unknown"],
    ["any with a matched", { any: [no, maybe, yes] }, "matched"],
    ["any with an unknown", { any: [no, maybe] }, "unknown"],
    ["any of false", { any: [no, no] }, "not_matched"],
    ["not of matched", { not: yes }, "not_matched"],
    ["not of false", { not: no }, "matched"],
    ["not of unknown", { not: maybe }, "unknown"],
  ])("the result is right for %s", (_name, when, result) => {
    expect(trace(when, known)).toBe(result);
  });

  test("they combine as minimum, maximum and complement of 0, ½ and 1", () => {
    type Tree = { readonly when: JsonValue; readonly value: number };
    const leaf: fc.Arbitrary<Tree> = fc.constantFrom(
      { when: yes, value: 1 },
      { when: no, value: 0 },
      { when: maybe, value: 0.5 },
    );
    const grow = (inner: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> => {
      const some = fc.array(inner, { minLength: 1, maxLength: 4 });
      const whens = (trees: readonly Tree[]) => trees.map(({ when }) => when);
      const values = (trees: readonly Tree[]) => trees.map(({ value }) => value);
      return fc.oneof(
        inner,
        inner.map(({ when, value }) => ({ when: { not: when }, value: 1 - value })),
        some.map((of) => ({ when: { all: whens(of) }, value: Math.min(...values(of)) })),
        some.map((of) => ({ when: { any: whens(of) }, value: Math.max(...values(of)) })),
      );
    };
    fc.assert(
      fc.property(grow(grow(grow(leaf))), ({ when, value }) => {
        const name = value === 0.5 ? "unknown" : value === 1 ? "matched" : "not_matched";
        expect(trace(when, known)).toBe(name);
      }),
      { ...fuzzRuns, numRuns: Math.ceil(fuzzRuns.numRuns / 20) },
    );
  });
});

const rule = (id: string, effect: string, when: JsonValue, more: JsonObject = {}) => ({
  id,
  effect,
  when,
  ...more,
});
const known: PolicyFacts = { skill: "s" };
const decide = (rules: JsonValue, more: JsonObject = {}) => {
  const { outcome, rule: winner } = evaluatePolicy(policyOf(rules, more), known);
  return [outcome, winner];
};

describe("a policy decides", () => {
  const [allow, escalate, deny] = [
    rule("ok", "allow", always),
    rule("ask", "escalate", always),
    rule("no", "deny", always),
  ];

  test("by deny before escalate before allow, in any order", () => {
    expect(decide([allow])).toEqual(["approved", "ok"]);
    expect(decide([allow, escalate])).toEqual(["escalated", "ask"]);
    expect(decide([allow, escalate, deny])).toEqual(["rejected", "no"]);
    expect(decide([deny, escalate, allow])).toEqual(["rejected", "no"]);
    expect(decide([escalate, allow])).toEqual(["escalated", "ask"]);
  });

  test("by its default if no rule matched, and then names no rule", () => {
    const nothing = [rule("a", "allow", never), rule("b", "deny", never)];
    expect(decide(nothing)).toEqual(["rejected", null]);
    expect(decide(nothing, { default: "escalate" })).toEqual(["escalated", null]);
  });

  test("with unknown facts counted against the agent", () => {
    expect(decide([allow, rule("x", "deny", unclear)])).toEqual(["rejected", "x"]);
    expect(decide([allow, rule("x", "escalate", unclear)])).toEqual(["escalated", "x"]);
    expect(decide([rule("x", "allow", unclear)])).toEqual(["rejected", null]);
    expect(decide([rule("x", "deny", { not: unclear })])).toEqual(["rejected", "x"]);
  });

  test("with the first rule of the winning effect", () => {
    const rules = [
      rule("a0", "allow", always),
      rule("d0", "deny", never),
      rule("d1", "deny", unclear),
      rule("d2", "deny", always),
    ];
    expect(decide(rules)).toEqual(["rejected", "d1"]);
  });

  test("without the rules that are only monitored", () => {
    const watched = { mode: "monitor" };
    expect(decide([allow, rule("w", "deny", always, watched)])).toEqual(["approved", "ok"]);
    expect(decide([allow, rule("w", "escalate", unclear, watched)])).toEqual(["approved", "ok"]);
    expect(decide([rule("w", "allow", always, watched)])).toEqual(["rejected", null]);
    const both = [rule("w", "deny", always, watched), deny];
    expect(decide(both)).toEqual(["rejected", "no"]);
  });

  test("and reports the result of every rule, monitored ones included", () => {
    const rules = [
      deny,
      rule("w", "deny", always, { mode: "monitor" }),
      rule("u", "allow", unclear),
      rule("n", "escalate", never),
      allow,
    ];
    expect(evaluatePolicy(policyOf(rules), known)).toEqual({
      outcome: "rejected",
      rule: "no",
      rules: [
        { id: "no", result: "matched" },
        { id: "w", result: "matched" },
        { id: "u", result: "unknown" },
        { id: "n", result: "not_matched" },
        { id: "ok", result: "matched" },
      ],
    });
  });

  test("in the same way for any order of its rules", () => {
    const effect = fc.constantFrom("allow", "deny", "escalate");
    const when = fc.constantFrom(always, never, unclear);
    const mode = fc.constantFrom({}, {}, { mode: "monitor" });
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(
        fc
          .array(fc.tuple(effect, when, mode), { minLength: 1, maxLength: 6 })
          .map((drawn) => drawn.map(([e, w, m], i) => rule(`r${i}`, e, w, m)))
          .chain((rules) =>
            fc.tuple(
              fc.constant(rules),
              fc.shuffledSubarray(rules, { minLength: rules.length, maxLength: rules.length }),
            ),
          ),
        ([rules, shuffled]) => {
          const [outcome, winner] = decide(rules);
          const [again, other] = decide(shuffled);
          expect([again, other === null]).toEqual([outcome, winner === null]);
          outcomes.add(String(outcome));
        },
      ),
      { ...fuzzRuns, numRuns: Math.ceil(fuzzRuns.numRuns / 20) },
    );
    expect([...outcomes].sort()).toEqual(["approved", "escalated", "rejected"]);
  });
});

const capped = (id: string, title: string, effect: string, limit: string) =>
  rule(id, effect, { "cart.total": { gt: { EUR: limit, USD: limit } } }, { title });

/** The document of the design, with the facts there are. */
const shop: JsonObject = {
  ...frame,
  version: 7,
  rules: [
    rule(
      "cur-allow",
      "deny",
      { "cart.currency": { not_in: ["EUR", "USD"] } },
      {
        title: "Only EUR and USD",
      },
    ),
    capped("cart-hard", "Never more than 2000 at once", "deny", "2000.00"),
    {
      ...capped("cart-review", "A person looks at carts above 250", "escalate", "250.00"),
      escalation: { expires_in: "PT4H", group: "shop-owners", approvals: 1 },
    },
    rule(
      "agent-day",
      "deny",
      {
        spend: { scope: "agent", window: "P1D", would_exceed: { EUR: "1000.00", USD: "1000.00" } },
      },
      { title: "At most 1000 a day for one agent" },
    ),
    rule("velocity", "escalate", count("agent", "PT10M", 5), { title: "Five in ten minutes" }),
    rule(
      "new-agent",
      "escalate",
      {
        all: [
          { "agent.age_days": { lt: 7 } },
          { "cart.total": { gt: { EUR: "50.00", USD: "50.00" } } },
        ],
      },
      { title: "A new agent starts small" },
    ),
    rule(
      "night",
      "escalate",
      { "time.local": { between: ["23:00", "06:00"] } },
      {
        title: "Nobody buys unseen at night",
      },
    ),
    rule("skills", "allow", {
      all: [
        { protocol: { in: ["a2a", "mcp"] } },
        { skill: { in: ["get_pricing", "track_order"] } },
      ],
    }),
    rule("ap2-ok", "allow", {
      all: [
        { protocol: { eq: "ap2" } },
        { skill: { in: ["complete_checkout"] } },
        { "agent.tags": { any_of: ["trusted"] } },
      ],
    }),
  ],
};
const shopPolicy = policyOf(shop.rules as JsonValue, { version: 7 });

describe("the policy of a shop decides as its titles say about", () => {
  const order: PolicyFacts = {
    skill: "complete_checkout",
    protocol: "ap2",
    cart: { total: 4_200, currency: "EUR" },
    agent: { id: "agt_fern", tags: ["trusted"], age_days: 30 },
    time: { local: "12:00" },
    spend: [
      { scope: "agent", window: "P1D", currency: "EUR", minor: 0 },
      { scope: "agent", window: "P1D", currency: "USD", minor: 0 },
    ],
    count: [{ scope: "agent", window: "PT10M", value: 0 }],
  };
  const spent = (minor: number): PolicyFacts => ({
    spend: [{ scope: "agent", window: "P1D", currency: "EUR", minor }],
  });

  test.each<[name: string, change: PolicyFacts, outcome: string, rule: string | null]>([
    ["a small order", {}, "approved", "ap2-ok"],
    ["an order in francs", { cart: { total: 1, currency: "CHF" } }, "rejected", "cur-allow"],
    ["an order above 2000", { cart: { total: 200_001, currency: "USD" } }, "rejected", "cart-hard"],
    [
      "an order just above 250",
      { cart: { total: 25_001, currency: "EUR" } },
      "escalated",
      "cart-review",
    ],
    ["an order of exactly 250", { cart: { total: 25_000, currency: "EUR" } }, "approved", "ap2-ok"],
    ["an order one cent over the day's 1000", spent(95_801), "rejected", "agent-day"],
    ["an order up to the day's 1000", spent(95_800), "approved", "ap2-ok"],
    [
      "the sixth order in ten minutes",
      { count: [{ scope: "agent", window: "PT10M", value: 5 }] },
      "escalated",
      "velocity",
    ],
    [
      "the fifth order in ten minutes",
      { count: [{ scope: "agent", window: "PT10M", value: 4 }] },
      "approved",
      "ap2-ok",
    ],
    [
      "a new agent above 50",
      {
        agent: { id: "agt_new", tags: ["trusted"], age_days: 6 },
        cart: { total: 5_001, currency: "EUR" },
      },
      "escalated",
      "new-agent",
    ],
    [
      "a new agent below 50",
      { agent: { id: "agt_new", tags: ["trusted"], age_days: 6 } },
      "approved",
      "ap2-ok",
    ],
    ["an order at night", { time: { local: "03:15" } }, "escalated", "night"],
    ["a skill that only informs", { protocol: "mcp", skill: "get_pricing" }, "approved", "skills"],
    ["checkout over mcp", { protocol: "mcp" }, "rejected", null],
    [
      "an agent without a tag",
      { agent: { id: "agt_fern", tags: [], age_days: 30 } },
      "rejected",
      null,
    ],
  ])("%s", (_name, change, outcome, winner) => {
    const evaluation = evaluatePolicy(shopPolicy, { ...order, ...change });
    expect([evaluation.outcome, evaluation.rule]).toEqual([outcome, winner]);
    expect(evaluation.rules.length).toBe(9);
  });

  test("a request without any facts, which it rejects", () => {
    expect(evaluatePolicy(shopPolicy, {}).outcome).toBe("rejected");
  });
});

function everyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(everyFrozen);
}

describe("a policy document", () => {
  test("is read whole, with amounts in minor units", () => {
    const when = { "cart.total": { gt: { EUR: "2.5", JPY: "7" } } };
    const escalation = { expires_in: "P1DT30M", group: "owners", approvals: 2 };
    const asked = rule("ask", "escalate", when, { title: "Ask", mode: "monitor", escalation });
    expect(policyOf([asked], { version: 3 })).toEqual({
      ...frame,
      version: 3,
      rules: [
        {
          ...asked,
          when: {
            kind: "total",
            operator: "gt",
            limits: [
              { currency: "EUR", minor: 250 },
              { currency: "JPY", minor: 7 },
            ],
          },
        },
      ],
    });
  });

  test("is parsed to a deeply frozen value, and so is every evaluation", () => {
    const deep = { all: [{ any: [{ not: unclear }] }, spend("agent", "P1D", "1")] };
    const policy = policyOf([someRule, rule("deep", "deny", deep), ...(shop.rules as JsonValue[])]);
    expect(everyFrozen(policy)).toBe(true);
    expect(everyFrozen(evaluatePolicy(policy, facts))).toBe(true);
    expect(everyFrozen(factsNeeded(policy))).toBe(true);
  });

  test("says which counters it needs, each once, monitored and nested rules included", () => {
    const rules = [
      rule("a", "deny", spend("agent", "P1D", "1")),
      rule("b", "deny", { all: [{ not: spend("site", "P1D", "1") }, count("site", "PT1M", 1)] }),
      rule("c", "deny", { any: [spend("agent", "P1D", "2", "USD")] }),
      rule("d", "deny", count("agent", "PT1M", 9), { mode: "monitor" }),
    ];
    expect(factsNeeded(policyOf(rules))).toEqual({
      spend: [
        { scope: "agent", window: "P1D" },
        { scope: "site", window: "P1D" },
      ],
      count: [
        { scope: "site", window: "PT1M" },
        { scope: "agent", window: "PT1M" },
      ],
    });
    expect(factsNeeded(policyOf([someRule]))).toEqual({ spend: [], count: [] });
  });

  test("has the digest of its canonical text", async () => {
    const text = `{"default":"deny","policy":"rules/1","rules":[],"timezone":"UTC"}`;
    const digest = await policyDigest(JSON.parse(text));
    expect(digest).toBe("59a7dfb17585abcd7c1feb1d9f774b40000d3829c6334c9a2d0c65683d634e31");
    const turned = { timezone: "UTC", rules: [], policy: "rules/1", default: "deny" };
    expect(await policyDigest(turned)).toBe(digest);
    expect((await policyDigest({ ...turned, default: "escalate" })) === digest).toBe(false);
  });

  test("is parsed the same way from the strict parser and from plain objects", () => {
    const parsed = parseJson(JSON.stringify(shop));
    const [one, two] = [readPolicy(parsed.ok ? parsed.value : null), readPolicy(shop)];
    expect([one.ok, two.ok]).toEqual([true, true]);
    expect(one).toEqual(two);
  });
});

describe("limits of a policy document:", () => {
  const many = (n: number) => Array.from({ length: n }, (_, i) => ({ ...someRule, id: `r${i}` }));
  const nested = (depth: number, when: JsonValue = always): JsonValue => {
    const around = [{ all: [when] }, { not: when }, { any: [when] }];
    return depth === 0 ? when : nested(depth - 1, around[depth % 3] as JsonValue);
  };

  test("it may have 1 to 100 rules", () => {
    expect(policyOf(many(100)).rules.length).toBe(100);
    expect(detailOf({ ...frame, rules: many(101) })).toBe("rules: must have at most 100 entries");
    expect(detailOf({ ...frame, rules: [] })).toBe("rules: must be a list with at least one entry");
  });

  test("it may have 32 KB of canonical JSON, counted in bytes of UTF-8", () => {
    const sized = (filler: string) => ({
      ...frame,
      rules: [rule("big", "deny", { skill: { eq: filler } })],
    });
    const room = 32 * 1024 - canonicalBytes(sized("")).length;
    expect(detailOf(sized("x".repeat(room)))).toBe("accepted");
    const refusal = "the policy: must have at most 32768 bytes of canonical JSON";
    expect(detailOf(sized("x".repeat(room + 1)))).toBe(refusal);
    expect(detailOf(sized("é".repeat(room / 2 + 1)))).toBe(refusal);
  });

  test("it may nest three combinators, but not four", () => {
    expect(detailOf({ ...frame, rules: [rule("r", "deny", nested(3))] })).toBe("accepted");
    const refused = detailOf({ ...frame, rules: [rule("r", "deny", nested(4))] });
    expect(refused.endsWith("is nested deeper than 3 levels")).toBe(true);
    const not4 = { not: { not: { not: { not: always } } } };
    expect(detailOf({ ...frame, rules: [rule("r", "deny", not4)] })).toBe(
      "rules[0].when.not.not.not.not: is nested deeper than 3 levels",
    );
  });

  test("an escalation may wait 5 minutes to 7 days", () => {
    const waits = (expires_in: JsonValue) =>
      detailOf({
        ...frame,
        rules: [rule("r", "escalate", always, { escalation: { expires_in } })],
      });
    for (const good of ["PT5M", "PT4H", "PT168H", "P7D", "P6DT23H60M", "PT10080M"]) {
      expect([good, waits(good)]).toEqual([good, "accepted"]);
    }
    const bad = ["PT4M", "PT0H", "P8D", "PT168H1M", "P7DT1M", "PT10081M", "P1W", "P1M", "PT300S"];
    for (const text of [...bad, "P", "PT", "P1DT", "PT1.5H", "-PT5H", "pt4h", " PT4H", "PT4H\n"]) {
      const refusal = "rules[0].escalation.expires_in: must be a duration from PT5M to P7D";
      expect([text, waits(text)]).toEqual([text, refusal]);
    }
  });

  test.each<[text: string, ms: number | undefined]>([
    ["PT1M", 60_000],
    ["P1DT2H3M", 93_780_000],
    ["P0D", 0],
    ["P", undefined],
    ["PT", undefined],
    ["P1DT", undefined],
    ["PT1M1H", undefined],
    ["P1Y", undefined],
  ])("the duration %s is read or refused as expected", (text, ms) => {
    expect(policyDurationMs(text)).toBe(ms);
  });

  test("each window has one spelling, and windows are sorted by length", () => {
    const lengths = POLICY_WINDOWS.map((window) => policyDurationMs(window) ?? Number.NaN);
    expect(lengths).toEqual([...new Set(lengths)].sort((a, b) => a - b));
    expect([lengths[0], lengths.at(-1)]).toEqual([60_000, 31 * 86_400_000]);
    for (const window of POLICY_WINDOWS) {
      expect([window, trace(count("site", window, 1), {})]).toEqual([window, "unknown"]);
    }
  });
});

const long = "x".repeat(5000);

describe("a document that is not rules/1 is refused with the location of the problem:", () => {
  test.each<[name: string, document: JsonValue, place: string]>([
    ["null", null, "the policy"],
    ["a list", [frame], "the policy"],
    ["a text", "rules/1", "the policy"],
    ["no rules", frame, "the policy"],
    ["no timezone", { policy: "rules/1", default: "deny", rules: [someRule] }, "the policy"],
    ["an unknown member", { ...frame, rules: [someRule], engine: "rules/1" }, "the policy"],
    ["another engine", { ...frame, rules: [someRule], policy: "rules/2" }, "policy"],
    ["default allow", { ...frame, rules: [someRule], default: "allow" }, "default"],
    ["version 0", { ...frame, rules: [someRule], version: 0 }, "version"],
    ["version 1.5", { ...frame, rules: [someRule], version: 1.5 }, "version"],
    ["a version in words", { ...frame, rules: [someRule], version: "7" }, "version"],
    ["a version of null", { ...frame, rules: [someRule], version: null }, "version"],
    ["an unknown time zone", { ...frame, rules: [someRule], timezone: "Mars/Base" }, "timezone"],
    ["an offset", { ...frame, rules: [someRule], timezone: "+01:00" }, "timezone"],
    ["an empty timezone", { ...frame, rules: [someRule], timezone: "" }, "timezone"],
    ["a timezone of 1", { ...frame, rules: [someRule], timezone: 1 }, "timezone"],
    ["rules in an object", { ...frame, rules: { 0: someRule } }, "rules"],
    ["a lone surrogate", { ...frame, rules: [{ ...someRule, title: "\ud800" }] }, "the policy"],
    ["NaN as its version", { ...frame, rules: [someRule], version: Number.NaN }, "the policy"],
  ])("it is or contains %s", (_name, document, place) => {
    const detail = detailOf(document);
    expect([detail.split(": ")[0], detail.length < 300]).toEqual([place, true]);
    const read = readPolicy(document);
    expect(read.ok ? "" : read.reason).toBe("policy_invalid");
  });

  test.each<[name: string, rule: JsonValue, place: string]>([
    ["a rule of null", null, ""],
    ["a rule in a list", [someRule], ""],
    ["a rule without id", { effect: "deny", when: always }, ""],
    ["a rule without effect", { id: "r", when: always }, ""],
    ["a rule without when", { id: "r", effect: "deny" }, ""],
    ["an unknown member of a rule", { ...someRule, priority: 1 }, ""],
    ["a long member of a rule", { ...someRule, [long]: 1 }, ""],
    ["an id used before", { ...someRule, id: "first" }, ".id"],
    ["an id with a capital", { ...someRule, id: "Cap" }, ".id"],
    ["an id with a dash in front", { ...someRule, id: "-cap" }, ".id"],
    ["an id that ends in a new line", { ...someRule, id: "cap\n" }, ".id"],
    ["an empty id", { ...someRule, id: "" }, ".id"],
    ["an id of 65", { ...someRule, id: "i".repeat(65) }, ".id"],
    ["an id of 1", { ...someRule, id: 1 }, ".id"],
    ["a title of 1", { ...someRule, title: 1 }, ".title"],
    ["an empty title", { ...someRule, title: "" }, ".title"],
    ["a title of 121", { ...someRule, title: "t".repeat(121) }, ".title"],
    ["a title that moves the cursor", { ...someRule, title: "a\u001b[2J" }, ".title"],
    ["another effect", { ...someRule, effect: "permit" }, ".effect"],
    ["an effect like a member of objects", { ...someRule, effect: "constructor" }, ".effect"],
    ["another mode", { ...someRule, mode: "enforce" }, ".mode"],
    ["an escalation of allow", { ...someRule, escalation: { expires_in: "PT4H" } }, ".escalation"],
    ["a condition of null", { ...someRule, when: null }, ".when"],
    ["a condition in a list", { ...someRule, when: [always] }, ".when"],
    ["no condition", { ...someRule, when: {} }, ".when"],
    ["two conditions", { ...someRule, when: { ...always, protocol: { eq: "a" } } }, ".when"],
    ["an unknown fact", { ...someRule, when: { action: { eq: "a" } } }, ".when"],
    ["a long fact", { ...someRule, when: { [long]: { eq: "a" } } }, ".when"],
    ["all of nothing", { ...someRule, when: { all: [] } }, ".when.all"],
    ["any of an object", { ...someRule, when: { any: always } }, ".when.any"],
    ["not of a list", { ...someRule, when: { not: [always] } }, ".when.not"],
    ["a bad second", { ...someRule, when: { any: [always, { x: 1 }] } }, ".when.any[1]"],
  ])("it contains %s", (_name, bad, place) => {
    const detail = detailOf({ ...frame, rules: [{ ...someRule, id: "first" }, bad] });
    expect([detail.split(": ")[0], detail.length < 300]).toEqual([`rules[1]${place}`, true]);
  });

  test.each<[name: string, escalation: JsonValue, place: string]>([
    ["a text", "PT4H", ""],
    ["no time", { group: "owners" }, ""],
    ["an unknown member", { expires_in: "PT4H", notify: "me" }, ""],
    ["a time of 4", { expires_in: 4 }, ".expires_in"],
    ["a group with a space", { expires_in: "PT4H", group: "shop owners" }, ".group"],
    ["no approvals", { expires_in: "PT4H", approvals: 0 }, ".approvals"],
    ["too many approvals", { expires_in: "PT4H", approvals: 11 }, ".approvals"],
    ["half an approval", { expires_in: "PT4H", approvals: 1.5 }, ".approvals"],
  ])("it has an escalation with %s", (_name, escalation, place) => {
    const detail = detailOf({ ...frame, rules: [rule("r", "escalate", always, { escalation })] });
    expect(detail.split(": ")[0]).toBe(`rules[0].escalation${place}`);
  });

  test.each<[fact: string, operand: JsonValue, place: string]>([
    ["skill", null, ""],
    ["skill", "complete_checkout", ""],
    ["skill", {}, ""],
    ["skill", { eq: "a", prefix: "b" }, ""],
    ["skill", { matches: "a+" }, ""],
    ["skill", { gt: "a" }, ""],
    ["skill", { [long]: "a" }, ""],
    ["skill", { eq: 1 }, ".eq"],
    ["skill", { eq: "" }, ".eq"],
    ["skill", { eq: ["a"] }, ".eq"],
    ["skill", { prefix: "" }, ".prefix"],
    ["protocol", { in: [] }, ".in"],
    ["protocol", { in: "ap2" }, ".in"],
    ["protocol", { not_in: ["a", 1] }, ".not_in[1]"],
    ["protocol", { exists: 1 }, ".exists"],
    ["cart.currency", { eq: "eur" }, ".eq"],
    ["cart.currency", { not_in: ["EUR", "EURO"] }, ".not_in[1]"],
    ["agent.id", { any_of: ["a"] }, ""],
    ["agent.tags", { eq: "a" }, ""],
    ["agent.tags", { any_of: [] }, ".any_of"],
    ["agent.tags", { any_of: [null] }, ".any_of[0]"],
    ["agent.age_days", { exists: true }, ""],
    ["agent.age_days", { lt: 6.5 }, ".lt"],
    ["agent.age_days", { lt: "7" }, ".lt"],
    ["agent.age_days", { gt: -1 }, ".gt"],
    ["agent.age_days", { eq: 2 ** 53 }, ".eq"],
    ["cart.total", { eq: { EUR: "1" } }, ""],
    ["cart.total", { gt: "250.00" }, ".gt"],
    ["cart.total", { gt: 250 }, ".gt"],
    ["cart.total", { gt: ["EUR"] }, ".gt"],
    ["cart.total", { gt: {} }, ".gt"],
    ["cart.total", { gt: { eur: "1" } }, ".gt"],
    ["cart.total", { gt: { [long]: "1" } }, ".gt"],
    ["cart.total", { gt: { constructor: "1" } }, ".gt"],
    ["cart.total", { gt: { EUR: 250 } }, ".gt.EUR"],
    ["cart.total", { gt: { EUR: "250.001" } }, ".gt.EUR"],
    ["cart.total", { gt: { JPY: "250.0" } }, ".gt.JPY"],
    ["cart.total", { gt: { EUR: "-1" } }, ".gt.EUR"],
    ["cart.total", { gt: { EUR: "1e3" } }, ".gt.EUR"],
    ["cart.total", { gt: { USD: "1", EUR: long } }, ".gt.EUR"],
    ["cart.total", { exists: "yes" }, ".exists"],
    ["time.local", { eq: "12:00" }, ""],
    ["time.local", { between: [] }, ".between"],
    ["time.local", { between: ["23:00"] }, ".between"],
    ["time.local", { between: ["23:00", "06:00", "07:00"] }, ".between"],
    ["time.local", { between: ["06:00", "06:00"] }, ".between"],
    ["time.local", { between: ["23:00", "24:00"] }, ".between[1]"],
    ["time.local", { between: ["6:00", "07:00"] }, ".between[0]"],
    ["time.local", { between: ["06:60", "07:00"] }, ".between[0]"],
    ["time.local", { between: [6, 7] }, ".between[0]"],
    ["spend", { gt: { EUR: "1" } }, ""],
    ["spend", { scope: "agent", window: "P1D" }, ""],
    ["spend", { scope: "agent", window: "P1D", would_exceed: { EUR: "1" }, gt: 1 }, ""],
    ["spend", { scope: "all", window: "P1D", would_exceed: { EUR: "1" } }, ".scope"],
    ["spend", { scope: "agent", window: "PT24H", would_exceed: { EUR: "1" } }, ".window"],
    ["spend", { scope: "agent", window: "P1D", would_exceed: "1" }, ".would_exceed"],
    ["spend", { scope: "agent", window: "P1D", would_exceed: { EUR: "x" } }, ".would_exceed.EUR"],
    ["count", { scope: "agent", window: "PT10M" }, ""],
    ["count", { scope: "agent", window: "PT10M", gte: 5 }, ""],
    ["count", { scope: ["agent"], window: "PT10M", gt: 5 }, ".scope"],
    ["count", { scope: "agent", window: 600, gt: 5 }, ".window"],
    ["count", { scope: "agent", window: "PT10M", gt: 5.5 }, ".gt"],
    ["count", { scope: "agent", window: "PT10M", gt: -1 }, ".gt"],
  ])("it has the condition %s %j", (fact, operand, place) => {
    const when = { all: [always, { [fact]: operand }] };
    const detail = detailOf({ ...frame, rules: [rule("r", "deny", when)] });
    const expected = `rules[0].when.all[1].${fact}${place}`;
    expect([detail.split(": ")[0], detail.length < 300]).toEqual([expected, true]);
  });

  test("names that every object has are neither facts nor operators", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const own = JSON.parse(`{"${name}":{"eq":"a"}}`);
      for (const when of [own, { skill: own }, { not: own }, { "cart.total": { gt: own } }]) {
        const detail = detailOf({ ...frame, rules: [rule("r", "deny", when)] });
        expect([name, detail === "accepted"]).toEqual([name, false]);
      }
      expect(detailOf({ ...frame, rules: [{ ...someRule, ...own }] }) === "accepted").toBe(false);
    }
  });

  test("a document damaged anywhere is read or refused with a short sentence, and never throws", () => {
    const paths: (readonly string[])[] = [];
    const walk = (value: JsonValue, path: readonly string[]): void => {
      paths.push(path);
      if (typeof value !== "object" || value === null) return;
      for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
    };
    walk(shop, []);
    const replaced = (value: JsonValue, path: readonly string[], by: JsonValue): JsonValue => {
      const [name, ...rest] = path;
      if (name === undefined) return by;
      const copy = Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
      const members = copy as Record<string, JsonValue>;
      members[name] = replaced(members[name] as JsonValue, rest, by);
      return copy;
    };
    let [read, refused] = [0, 0];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 3 }), (path, junk) => {
        const result = readPolicy(replaced(shop, path, junk as JsonValue));
        if (result.ok) read++;
        else refused++;
        expect(result.ok || result.detail.length < 400).toBe(true);
        if (result.ok) expect(evaluatePolicy(result.value, facts).rules.length).toBe(9);
      }),
      { ...fuzzRuns, numRuns: Math.ceil(fuzzRuns.numRuns / 20) },
    );
    expect([read > 0, refused > 0]).toEqual([true, true]);
  });
});

describe("the facts of a record", () => {
  test("are read as they were written, frozen, and lead to the same decision again", () => {
    const written: JsonObject = facts;
    const parsed = parseJson(JSON.stringify(written));
    const read = readPolicyFacts(parsed.ok ? parsed.value : null);
    expect(read.ok && read.value).toEqual(facts);
    expect(read.ok && everyFrozen(read.value)).toBe(true);
    const again = evaluatePolicy(shopPolicy, read.ok ? read.value : {});
    expect(again).toEqual(evaluatePolicy(shopPolicy, facts));
  });

  test("may be incomplete", () => {
    expect(readPolicyFacts({})).toEqual({ ok: true, value: {} });
    const few = { agent: { id: "a", tags: [] }, spend: [], count: [] };
    expect(readPolicyFacts(few)).toEqual({ ok: true, value: few });
    const old = { cart: { total: 1, currency: "BGN" } };
    expect(readPolicyFacts(old)).toEqual({ ok: true, value: old });
  });

  const spent = { scope: "agent", window: "P1D", currency: "EUR", minor: 1 };
  const counted = { scope: "agent", window: "P1D", value: 1 };

  test.each<[name: string, value: JsonValue, place: string]>([
    ["null", null, "the facts"],
    ["a list", [], "the facts"],
    ["an unknown fact", { action: "buy" }, "the facts"],
    ["a name every object has", JSON.parse('{"__proto__":{}}'), "the facts"],
    ["a skill of null", { skill: null }, "skill"],
    ["an empty protocol", { protocol: "" }, "protocol"],
    ["a cart of a number", { cart: 5 }, "cart"],
    ["a cart without a currency", { cart: { total: 5 } }, "cart"],
    ["a cart with more", { cart: { total: 5, currency: "EUR", items: 1 } }, "cart"],
    ["a total in decimals", { cart: { total: 12.5, currency: "EUR" } }, "cart.total"],
    ["a total in words", { cart: { total: "12", currency: "EUR" } }, "cart.total"],
    ["a total below zero", { cart: { total: -1, currency: "EUR" } }, "cart.total"],
    ["a total past exact", { cart: { total: 2 ** 53, currency: "EUR" } }, "cart.total"],
    ["a small currency", { cart: { total: 1, currency: "eur" } }, "cart.currency"],
    ["an agent without an id", { agent: { tags: [] } }, "agent"],
    ["a tag of 1", { agent: { id: "a", tags: ["x", 1] } }, "agent.tags[1]"],
    ["tags in a text", { agent: { id: "a", tags: "x" } }, "agent.tags"],
    ["half a day", { agent: { id: "a", age_days: 0.5 } }, "agent.age_days"],
    ["a time of 24:00", { time: { local: "24:00" } }, "time.local"],
    ["a time with seconds", { time: { local: "12:00:00" } }, "time.local"],
    ["a time with a zone", { time: { local: "12:00", zone: "UTC" } }, "time"],
    ["spend in an object", { spend: spent }, "spend"],
    ["spend of another window", { spend: [{ ...spent, window: "P2D" }] }, "spend[0].window"],
    ["spend of another scope", { spend: [{ ...spent, scope: "all" }] }, "spend[0].scope"],
    ["spend without money", { spend: [counted] }, "spend[0]"],
    ["spend of half a cent", { spend: [{ ...spent, minor: 0.5 }] }, "spend[0].minor"],
    ["spend of no currency", { spend: [{ ...spent, currency: "€" }] }, "spend[0].currency"],
    ["the same spend twice", { spend: [spent, { ...spent, minor: 2 }] }, "spend"],
    ["count of null", { count: null }, "count"],
    ["count with money", { count: [spent] }, "count[0]"],
    ["count below zero", { count: [{ ...counted, value: -1 }] }, "count[0].value"],
    ["the same count twice", { count: [counted, counted] }, "count"],
  ])("with %s are refused", (_name, value, place) => {
    const read = readPolicyFacts(value);
    expect(read.ok ? "" : read.reason).toBe("facts_invalid");
    expect(read.ok ? "" : read.detail.split(": ")[0]).toBe(place);
  });

  test("have separate entries for one counter in two currencies or two windows", () => {
    const more = [spent, { ...spent, currency: "USD" }, { ...spent, window: "P7D" }];
    expect(readPolicyFacts({ spend: more }).ok).toBe(true);
  });

  test("match nothing if they are named like members of every object", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const odd: PolicyFacts = {
        skill: name,
        cart: { total: 1, currency: name },
        agent: { id: name, tags: [name] },
      };
      const money = { "cart.total": { gt: { EUR: "0" } } };
      const results = [{ skill: { in: ["a"] } }, { "agent.tags": { any_of: ["a"] } }, money];
      expect(results.map((when) => trace(when, odd))).toEqual([
        "not_matched",
        "not_matched",
        "unknown",
      ]);
    }
  });
});
