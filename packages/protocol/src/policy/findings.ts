import { formatAmount } from "../money/amount.js";
import { type PolicyFinding, warning } from "./finding.js";
import type { Condition, Policy, PolicyRule } from "./model.js";
import { leaves } from "./needs.js";
import { Overlaps, type PolicySiteFacts } from "./overlaps.js";
import { STEPS_MAX } from "./possible.js";
import { siteFindings } from "./site-findings.js";

/** People who must say yes; more is seldom meant. */
const APPROVALS_USUAL_MAX = 3;
/** Facts that are known of every mandate: rules may still ask, to be on the safe side. */
const ALWAYS_KNOWN: readonly string[] = ["skill", "protocol", "agent.id", "agent.tags"];

function neverMatching(rule: PolicyRule): PolicyFinding {
  const message = `The rule “${rule.id}” can never match, because its conditions contradict each other. Correct or remove it.`;
  const cautious = [...leaves(rule.when)].some(
    (leaf) => leaf.kind === "exists" && ALWAYS_KNOWN.includes(leaf.fact),
  );
  const finding = warning("never_matches", rule.id, message);
  if (cautious || rule.mode === "monitor") return finding;
  return Object.freeze({ ...finding, level: "error" });
}

function* inside(condition: Condition): Generator<Condition> {
  yield condition;
  if (condition.kind === "not") yield* inside(condition.condition);
  if (condition.kind !== "all" && condition.kind !== "any") return;
  for (const one of condition.conditions) yield* inside(one);
}

function saysTwice(rule: PolicyRule): boolean {
  return [...inside(rule.when)].some((condition) => {
    if (condition.kind !== "all" && condition.kind !== "any") return false;
    const texts = condition.conditions.map((one) => JSON.stringify(one));
    return new Set(texts).size < texts.length;
  });
}

/** What can be seen of the rules without asking what they come to. */
function* wordFindings(policy: Policy): Generator<PolicyFinding> {
  const seen = new Map<string, string>();
  for (const rule of policy.rules) {
    const { id, effect, mode, when, escalation } = rule;
    const key = JSON.stringify([effect, mode ?? "", when]);
    const first = seen.get(key);
    if (first !== undefined) {
      const message = `The rule “${id}” says the same as “${first}”. Remove one of them.`;
      yield warning("duplicate_rule", id, message);
    } else seen.set(key, id);
    if (saysTwice(rule)) {
      const message = `The rule “${id}” has the same condition twice. Remove one of them.`;
      yield warning("duplicate_condition", id, message);
    }
    const approvals = escalation?.approvals ?? 1;
    if (approvals > APPROVALS_USUAL_MAX) {
      const message = `The rule “${id}” needs ${approvals} approvals. Make sure that enough people can approve, or ask for fewer.`;
      yield warning("many_approvals", id, message);
    }
  }
}

/** Which of these rules cover a rule: one of them alone, or some together. */
function coverOf(overlaps: Overlaps, rule: PolicyRule, stricter: readonly PolicyRule[]) {
  if (!overlaps.coveredBy(rule, stricter)) return undefined;
  const one = stricter.find((other) => overlaps.coveredBy(rule, [other]));
  return one === undefined ? "other rules" : `“${one.id}”`;
}

function* coverFindings(overlaps: Overlaps, dead: ReadonlySet<PolicyRule>) {
  const alive = (...effects: readonly PolicyRule["effect"][]) =>
    overlaps.rules(...effects).filter((rule) => !dead.has(rule));
  for (const rule of alive("allow", "escalate")) {
    const denied = coverOf(overlaps, rule, alive("deny"));
    // Where an approval is reviewed or denied anyway, the rule that allows changes nothing either.
    const stopped =
      denied === undefined && rule.effect === "allow"
        ? coverOf(overlaps, rule, alive("deny", "escalate"))
        : undefined;
    const who = denied ?? stopped;
    if (who === undefined) continue;
    const one = who.startsWith("“");
    const does = denied === undefined ? (one ? "asks" : "ask") : one ? "declines" : "decline";
    const what = denied === undefined ? `${does} for a review of` : does;
    const message = `The rule “${rule.id}” never has an effect, because ${who} ${what} everything that it matches. Change or remove one of them.`;
    yield warning("shadowed", rule.id, message);
  }
  if (!overlaps.nothingApproved()) return;
  const asks = !overlaps.nothingEscalated();
  if (!asks) {
    const message =
      "Nothing can ever be approved, not even by a person. Add a rule that allows something, or change the rules that decline it.";
    yield warning("nothing_approved", undefined, message);
  } else if (overlaps.rules("allow").length > 0) {
    // Without any rule that allows, a policy that leaves everything to a person is meant so.
    const message =
      "Nothing is approved without a review, because other rules also match everything that is allowed. If you do not want this, change those rules.";
    yield warning("nothing_approved", undefined, message);
  }
}

/** Amounts up to which a rule allows, where another rule stops what it allows there. */
function* limitFindings(overlaps: Overlaps, rule: PolicyRule): Generator<PolicyFinding> {
  for (const leaf of leaves(rule.when)) {
    if (leaf.kind !== "total" || leaf.operator !== "lte") continue;
    for (const limit of leaf.limits) {
      const [stopping] = overlaps.stoppingFrom(rule, limit);
      if (stopping === undefined) continue;
      const does = stopping.effect === "deny" ? "declines" : "asks for a review of";
      const message = `The rule “${rule.id}” allows carts up to ${formatAmount(limit)} ${limit.currency}, but “${stopping.id}” ${does} carts of that amount. Change the amount there too.`;
      yield warning("limit_without_effect", rule.id, message);
    }
  }
}

function currenciesIn(condition: Condition): readonly string[] {
  return [...leaves(condition)].flatMap((leaf) => {
    if (leaf.kind === "total" || leaf.kind === "spend")
      return leaf.limits.map((one) => one.currency);
    const listed = leaf.kind === "text" && leaf.fact === "cart.currency";
    return listed && leaf.operator !== "prefix" ? leaf.values : [];
  });
}

/** Where an amount is missing that another rule reckons with. */
function* currencyFindings(overlaps: Overlaps, rule: PolicyRule): Generator<PolicyFinding> {
  const maps = [...leaves(rule.when)].flatMap((leaf) =>
    leaf.kind === "total" || leaf.kind === "spend" ? [leaf.limits] : [],
  );
  const others = overlaps.rules("allow", "escalate", "deny");
  const named = new Set(others.flatMap(({ when }) => currenciesIn(when)));
  for (const currency of named) {
    if (maps.every((limits) => limits.some((one) => one.currency === currency))) continue;
    const admitting = others.find(
      (other) => currenciesIn(other.when).includes(currency) && overlaps.admits(other, currency),
    );
    if (admitting === undefined) continue;
    const stops =
      rule.effect === "allow"
        ? overlaps.refusesAll(currency)
        : overlaps.stopsUnknown(rule, currency);
    if (!stops) continue;
    const carts = `carts in ${currency}`;
    const so = {
      allow: `${carts} are never allowed`,
      deny: `it declines ${carts} at any price`,
      escalate: `${carts} always need review`,
    }[rule.effect];
    const message = `The rule “${rule.id}” has no amount in ${currency}, which “${admitting.id}” uses, so ${so}. Add an amount in ${currency}.`;
    yield warning("currency_missing", rule.id, message);
  }
}

function cartFinding({ id, effect }: PolicyRule): PolicyFinding {
  const does = effect === "deny" ? "declines" : "requires a review for";
  const message = `The rule “${id}” also ${does} requests without a cart, because an unknown amount counts as too high. To avoid this, add the condition “The request is a purchase” (in JSON: “cart.total” exists).`;
  return warning("without_cart", id, message);
}

/**
 * Looks for what an owner hardly meant: rules that can never match, that never have an effect, or
 * that stop more than they say. What is reported is certain; what takes too long to find out is not
 * reported. Rules are judged by the facts Gatehouse has: all but the cart are always known. More is
 * found with what is known about the site.
 *
 * @example
 * const deny = { id: "all", effect: "deny", when: { skill: { exists: true } } };
 * const both = [{ "agent.age_days": { lt: 7 } }, { "agent.age_days": { gt: 30 } }];
 * const old = { id: "old", effect: "allow", when: { all: both } };
 * const of = (...rules) => policyFindings(readPolicy({ policy: "rules/1", timezone: "UTC", default: "deny", rules }).value);
 * of(deny).map(({ level, code, rule }) => `${level} ${code} ${rule}`); //=> ["warning always_denies all"]
 * of(old)[0].message; //=> "The rule “old” can never match, because its conditions contradict each other. Correct or remove it."
 */
export function policyFindings(
  policy: Policy,
  site: PolicySiteFacts = {},
): readonly PolicyFinding[] {
  const overlaps = new Overlaps(policy, STEPS_MAX, site);
  const dead = new Set(policy.rules.filter((rule) => overlaps.neverMatches(rule)));
  const findings = [...dead].map(neverMatching);
  for (const rule of policy.rules) {
    if (!dead.has(rule)) findings.push(...siteFindings(overlaps, rule, site));
  }
  findings.push(...wordFindings(policy));
  const always = overlaps.rules("deny").filter((rule) => overlaps.alwaysTakesEffect(rule));
  for (const { id } of always) {
    const message = `The rule “${id}” declines everything, so no other rule has an effect. Add a condition, unless you want to stop all agents.`;
    findings.push(warning("always_denies", id, message));
  }
  // Everything else would only say the same again.
  if (always.length > 0) return Object.freeze(findings);
  findings.push(...coverFindings(overlaps, dead));
  // A rule that never has an effect, or rules that approve nothing, say it once.
  const shadowed = new Set(findings.map(({ rule }) => rule));
  for (const rule of policy.rules) {
    if (dead.has(rule) || rule.mode === "monitor") continue;
    findings.push(...currencyFindings(overlaps, rule));
    if (rule.effect === "allow" && !shadowed.has(rule.id)) {
      findings.push(...limitFindings(overlaps, rule));
    }
    if (rule.effect !== "allow" && overlaps.stopsUnknown(rule, null)) {
      findings.push(cartFinding(rule));
    }
  }
  return Object.freeze(findings);
}
