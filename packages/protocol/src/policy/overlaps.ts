import type { Money } from "../money/amount.js";
import type { Condition, Policy, PolicyRule } from "./model.js";
import { type Budget, type Goal, possible, STEPS_MAX } from "./possible.js";
import { type World, worldsOf } from "./worlds.js";

/** Skills that move money, and the protocol that is about nothing else, always have a cart. */
const NEEDS_NO_CART: readonly Condition[] = Object.freeze([
  {
    kind: "text",
    fact: "skill",
    operator: "not_in",
    values: ["place_order", "complete_checkout"],
  },
  { kind: "text", fact: "protocol", operator: "not_in", values: ["ap2"] },
]);

/** The server sets it for whoever pays on a hosted page, so never for an order by mandate. */
const PRESENT: Condition = Object.freeze({ kind: "present", expected: true });

const skillIs = (skill: string): Goal => ({
  condition: { kind: "text", fact: "skill", operator: "eq", values: [skill] },
  want: "matched",
});

const matched = ({ when }: PolicyRule): Goal => ({ condition: when, want: "matched" });
const notMatched = ({ when }: PolicyRule): Goal => ({ condition: when, want: "not_matched" });
const notSurely = (rule: PolicyRule): Goal => ({ ...notMatched(rule), orUnknown: true });
/** What is not known restricts and never permits. */
const effective = (rule: PolicyRule): Goal => ({
  ...matched(rule),
  orUnknown: rule.effect !== "allow",
});

/** What is known about the site of a policy. What is left out is not checked. */
export interface PolicySiteFacts {
  /** Whether the site has an action with this id, turned on or off. */
  readonly isSkill?: (id: string) => boolean;
  /** The actions that agents can use. */
  readonly offered?: readonly string[];
  /** The currencies of its prices. */
  readonly currencies?: readonly string[];
}

const isOffered = (offered: readonly string[]): Condition => ({
  kind: "text",
  fact: "skill",
  operator: "in",
  values: offered,
});

/** What rules can come to, alone and against each other. Whatever takes too long to say is not claimed. */
export class Overlaps {
  private readonly policy: Policy;
  private readonly worlds: readonly World[];
  private readonly budget: Budget;
  private readonly offered: Condition | undefined;
  private readonly currencies: readonly string[];

  constructor(
    policy: Policy,
    steps = STEPS_MAX,
    { offered, currencies = [] }: PolicySiteFacts = {},
  ) {
    this.policy = policy;
    this.budget = { steps };
    this.offered = offered && isOffered(offered);
    this.currencies = currencies;
    const more = [...NEEDS_NO_CART, PRESENT, ...(this.offered === undefined ? [] : [this.offered])];
    this.worlds = worldsOf(policy, more, currencies);
  }

  /** The rules of an effect that are not only watched. */
  rules(...effects: readonly PolicyRule["effect"][]): readonly PolicyRule[] {
    return this.policy.rules.filter(
      ({ effect, mode }) => effects.includes(effect) && mode !== "monitor",
    );
  }

  private never(goals: readonly Goal[], worlds = this.worlds): boolean {
    return worlds.every((world) => possible(world, goals, this.budget) === false);
  }

  private surely(goals: readonly Goal[], worlds: readonly World[]): boolean {
    return worlds.some((world) => possible(world, goals, this.budget) === true);
  }

  private inCurrency(currency: string | null): readonly World[] {
    return this.worlds.filter(({ cart }) => cart === currency);
  }

  neverMatches(rule: PolicyRule): boolean {
    return this.never([matched(rule)]);
  }

  alwaysTakesEffect(rule: PolicyRule): boolean {
    return this.never([notMatched(rule)]);
  }

  /** Whether some of these stricter rules take effect whenever the rule does. */
  coveredBy(rule: PolicyRule, stricter: readonly PolicyRule[]): boolean {
    return this.never([effective(rule), ...stricter.map(notMatched)]);
  }

  /** Whether a rule takes effect for no action that the site offers. */
  isAboutOtherSkills(rule: PolicyRule): boolean {
    if (this.offered === undefined) return false;
    return this.never([effective(rule), { condition: this.offered, want: "matched" }]);
  }

  /** Whether a rule takes effect for no cart that the site has prices for, and not without a cart. */
  isAboutOtherCurrencies(rule: PolicyRule): boolean {
    if (this.currencies.length === 0) return false;
    const used = this.worlds.filter(({ cart }) => cart === null || this.currencies.includes(cart));
    return this.never([effective(rule)], used);
  }

  /**
   * The rules that stop everything that this rule alone allows from an amount on. Empty where some of it is
   * approved.
   */
  stoppingFrom(rule: PolicyRule, amount: Money): readonly PolicyRule[] {
    const from: Goal = {
      condition: { kind: "total", operator: "gte", limits: [amount] },
      want: "matched",
    };
    const worlds = this.inCurrency(amount.currency);
    const others = this.rules("allow").filter((other) => other !== rule);
    const reached = [matched(rule), from, ...others.map(notMatched)];
    const strict = this.rules("deny", "escalate");
    if (!this.surely(reached, worlds)) return [];
    if (!this.never([...reached, ...strict.map(notMatched)], worlds)) return [];
    const alone = strict.filter((other) => this.never([...reached, notMatched(other)], worlds));
    return alone.length > 0 ? alone : strict;
  }

  /** Whether no rule ever approves anything without a person. */
  nothingApproved(): boolean {
    const against = this.rules("deny", "escalate").map(notMatched);
    return this.rules("allow").every((rule) => this.never([matched(rule), ...against]));
  }

  /** Whether nothing ever reaches a person. */
  nothingEscalated(): boolean {
    const against = this.rules("deny").map(notMatched);
    if (this.policy.default === "escalate" && !this.never(against)) return false;
    return this.rules("escalate").every((rule) => this.never([effective(rule), ...against]));
  }

  /** Whether some purchase by this skill is allowed or left to a person. */
  permits(skill: string): boolean {
    const purchase: Goal[] = [skillIs(skill), ...this.rules("deny").map(notMatched)];
    if (skill === "place_order") purchase.push({ condition: PRESENT, want: "not_matched" });
    const withCart = this.worlds.filter(({ cart }) => cart !== null);
    if (this.policy.default === "escalate") return !this.never(purchase, withCart);
    const open = this.rules("allow", "escalate");
    return open.some((rule) => !this.never([effective(rule), ...purchase], withCart));
  }

  /** Whether a rule lets carts in this currency through, at least some of them. */
  admits(rule: PolicyRule, currency: string): boolean {
    const goal = rule.effect === "allow" ? matched(rule) : notMatched(rule);
    return this.surely([goal], this.inCurrency(currency));
  }

  /** Whether nothing with a cart in this currency is ever allowed or left to a person. */
  refusesAll(currency: string): boolean {
    if (this.policy.default === "escalate") return false;
    const open = this.rules("allow", "escalate");
    return open.every((rule) => this.never([effective(rule)], this.inCurrency(currency)));
  }

  /**
   * Whether a rule that cannot know, in this currency or without a cart, stops what others would let
   * through: nothing but its not knowing stands in the way.
   */
  stopsUnknown(rule: PolicyRule, currency: string | null): boolean {
    const worlds = this.inCurrency(currency);
    const stricter = rule.effect === "deny" ? this.rules("deny") : this.rules("deny", "escalate");
    const goals: Goal[] = [
      { ...matched(rule), orUnknown: true },
      notSurely(rule),
      ...stricter.filter((other) => other !== rule).map(notSurely),
      ...(currency === null ? NEEDS_NO_CART : []).map(
        (condition): Goal => ({ condition, want: "matched" }),
      ),
    ];
    if (rule.effect === "deny" && this.policy.default === "escalate") {
      return this.surely(goals, worlds);
    }
    const allowing = this.rules("allow");
    // What escalates restricts, unless nothing is allowed: then it is the only way in.
    const open =
      allowing.length === 0 && rule.effect === "deny" ? this.rules("escalate") : allowing;
    return open.some((other) => this.surely([matched(other), ...goals], worlds));
  }
}
