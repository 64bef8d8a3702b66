import {
  evaluatePolicy,
  factsNeeded,
  type JsonObject,
  type Policy,
  type PolicyFacts,
  policyDurationMs,
  readPolicy,
} from "@gatehouse/protocol";
import fc from "fast-check";
import { NOON } from "../harness.ts";
import { type Fate, factsOf, type Past } from "./past.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const draftOf = (...rules: JsonObject[]): JsonObject => {
  const any = { id: "any", effect: "allow", when: { skill: { exists: true } } };
  return { policy: "rules/1", timezone: "UTC", default: "deny", rules: [...rules, any] };
};
export const counting = (scope: string, window: string, gt: number, effect = "deny") => ({
  id: `count-${scope}-${window.toLowerCase()}`,
  effect,
  when: { count: { scope, window, gt } },
});
export const spending = (scope: string, window: string, minor: number, effect = "deny") => {
  const EUR = (minor / 100).toFixed(2);
  const spend = { scope, window, would_exceed: { EUR, USD: EUR } };
  const when = { all: [{ "cart.total": { exists: true } }, { spend }] };
  return { id: `spend-${scope}-${window.toLowerCase()}`, effect, when };
};
/** What the counters of a draft hold before one decision, each summed up from the very beginning. */
function naiveFacts(
  policy: Policy,
  now: Past,
  made: readonly Past[],
  spent: readonly { at: number; past: Past }[],
): PolicyFacts {
  const { amount } = now;
  const mine = (scope: string, past: Past) => scope === "site" || past.actorId === now.actorId;
  const within = (window: string, at: number) =>
    at > now.at - (policyDurationMs(window) as number) && at <= now.at;
  const { spend, count } = factsNeeded(policy);
  return {
    ...(factsOf(now) as PolicyFacts),
    spend: (amount === null ? [] : spend).map(({ scope, window }) => {
      const { currency } = amount as { currency: string };
      const minor = spent
        .filter(({ at, past }) => within(window, at) && mine(scope, past))
        .filter(({ past }) => past.amount?.currency === currency)
        .reduce((sum, { past }) => sum + (past.amount?.minor ?? 0), 0);
      return { scope, window, currency, minor };
    }),
    count: count.map(({ scope, window }) => ({
      scope,
      window,
      value: made.filter((past) => within(window, past.at) && mine(scope, past)).length,
    })),
  };
}

/** What a draft would have said of those that rules were asked for, found the slow way. */
export function naive(
  policy: Policy,
  all: readonly Past[],
  last: number,
  spentAt: (past: Past) => number | null,
): { past: Past; outcome: string; rule: string | null }[] {
  const first = Math.max(0, all.length - last);
  const spent = all.slice(0, first).flatMap((past) => {
    const at = spentAt(past);
    return at === null ? [] : [{ at, past }];
  });
  const verdicts: ReturnType<typeof naive> = [];
  for (const [n, past] of all.entries()) {
    if (n < first || past.fate === "unasked") continue;
    const facts = naiveFacts(policy, past, all.slice(0, n), spent);
    const { outcome, rule } = evaluatePolicy(policy, facts);
    verdicts.push({ past, outcome, rule });
    if (outcome === "approved" && past.fate !== "declined") spent.push({ at: past.at, past });
    const reviewed = outcome === "escalated" && past.fate === "reviewed";
    if (reviewed) spent.push({ at: past.decidedAt, past });
  }
  return verdicts;
}

const FATES: readonly Fate[] = [
  "approved",
  "rejected",
  "rejected",
  "reviewed",
  "reviewed",
  "pending",
  "denied",
  "declined",
  "unasked",
];
const WINDOWS = ["PT1M", "PT30M", "PT1H", "PT6H", "P1D", "P7D"];
/** At once, just within and just past windows, on the hour and off it. */
const GAPS = [0, 0, 1, 59_999, 60_000, 600_000, HOUR_MS - 1, HOUR_MS, 6 * HOUR_MS, DAY_MS];

const amounts = fc.record({
  minor: fc.integer({ min: 1, max: 5 }),
  currency: fc.constantFrom("EUR", "EUR", "USD"),
});
export const pasts = fc
  .array(
    fc.record({
      gap: fc.constantFrom(...GAPS),
      actorId: fc.constantFrom("agt-a", "agt-b", "agt-c"),
      amount: fc.option(amounts, { freq: 4 }),
      fate: fc.constantFrom(...FATES),
      review: fc.constantFrom(...GAPS),
    }),
    { minLength: 15, maxLength: 30, size: "max" },
  )
  .map((steps) => {
    let at = NOON;
    return steps.map(({ gap, actorId, amount, fate, review }, place): Past => {
      at += gap;
      return { place, at, actorId, amount, fate, decidedAt: at + review };
    });
  });
const scopes = fc.constantFrom("agent", "site");
const windows = fc.constantFrom(...WINDOWS);
const rungs = Array.from({ length: 60 }, (_, n) => 60 - n);
/** Many rules, the highest first: which of them allows a mandate tells the very number. */
const ladders = fc
  .tuple(fc.constantFrom(counting, spending), scopes, windows)
  .map(([kind, scope, window]) =>
    rungs.map((n) => ({ ...kind(scope, window, n - 1, "allow"), id: `exactly-${n}` })),
  );
const stops = fc
  .tuple(
    fc.constantFrom(counting, spending),
    scopes,
    windows,
    fc.integer({ min: 2, max: 20 }),
    fc.constantFrom("deny", "escalate"),
  )
  .map(([kind, scope, window, n, effect]) => kind(scope, window, n, effect));
const asks = { id: "ask", effect: "escalate", when: { "agent.id": { eq: "agt-c" } } };
export const drafts = fc
  .tuple(ladders, fc.uniqueArray(stops, { maxLength: 2, selector: ({ id }) => id }), fc.boolean())
  .map(([ladder, stop, ask]) => draftOf(...ladder, ...stop, ...(ask ? [asks] : [])));

export const policyOf = (document: JsonObject): Policy => {
  const read = readPolicy(document as never);
  if (!read.ok) throw new Error(read.detail);
  return read.value;
};
