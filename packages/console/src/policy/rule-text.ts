import {
  type Condition,
  type JsonObject,
  type Money,
  type PolicyRule,
  readPolicy,
} from "@gatehouse/protocol";
import { skillTitle } from "../ui/skill-title.js";
import { countText, moneyText, titleOf, windowText } from "../ui/words.js";

type Kind<K extends Condition["kind"]> = Extract<Condition, { kind: K }>;

/** What an amount or a fact that is not known does: it matches where the rule is strict. */
type Strict = boolean;

const listOf = (type: "conjunction" | "disjunction") => (texts: Iterable<string>) =>
  new Intl.ListFormat("en", { type }).format(texts);
const and = listOf("conjunction");
const or = listOf("disjunction");

const FACTS: Readonly<Record<Kind<"text">["fact"], string>> = {
  skill: "the action",
  protocol: "the protocol",
  "cart.currency": "the currency",
  "agent.id": "the agent",
};

const COMPARED = {
  gt: "more than",
  gte: "at least",
  lt: "less than",
  lte: "at most",
  eq: "exactly",
} as const;

function valueText({ fact }: Kind<"text">, value: string): string {
  if (fact === "skill") return `“${skillTitle(value)}”`;
  return fact === "protocol" ? titleOf(value) : value;
}

function textText(condition: Kind<"text">): string {
  const { fact, operator, values } = condition;
  const named = FACTS[fact];
  if (operator === "prefix") return `${named} begins with “${values[0]}”`;
  const listed = or(values.map((value) => valueText(condition, value)));
  return `${named} is ${operator === "not_in" ? "not " : ""}${listed}`;
}

function existsText({ fact, expected }: Kind<"exists">): string {
  if (fact === "cart.total") return `the request costs ${expected ? "money" : "nothing"}`;
  if (fact === "agent.tags") return `the agent has ${expected ? "tags" : "no tags"}`;
  return `${FACTS[fact]} is ${expected ? "known" : "not known"}`;
}

const limitsText = (limits: readonly Money[]) => or(limits.map((limit) => moneyText(limit)));
/** Amounts in other currencies cannot be compared. */
const elseText = (strict: Strict) => (strict ? ", or in another currency" : "");

function leafText(condition: Condition, strict: Strict): string {
  switch (condition.kind) {
    case "exists":
      return existsText(condition);
    case "text":
      return textText(condition);
    case "tags":
      return `the agent has the tag ${or(condition.values.map((tag) => `“${tag}”`))}`;
    case "present":
      return condition.expected
        ? "the buyer pays on the payment page"
        : "an agent or platform pays";
    case "age":
      return `the agent registered ${COMPARED[condition.operator]} ${countText(condition.days, "day")} ago`;
    case "total":
      return `the total is ${COMPARED[condition.operator]} ${limitsText(condition.limits)}${elseText(strict)}`;
    case "time":
      return `the time is between ${condition.start} and ${condition.end}`;
    case "spend": {
      const who = condition.scope === "agent" ? "one agent spends" : "all agents together spend";
      const window = windowText(condition.window);
      return `${who} more than ${limitsText(condition.limits)} within ${window}${elseText(strict)}`;
    }
    case "count": {
      const who = condition.scope === "agent" ? "one agent sends" : "all agents together send";
      const requests = countText(condition.gt, "request");
      return `${who} more than ${requests} within ${windowText(condition.window)}`;
    }
    case "not":
      return `it is not true that ${conditionText(condition.condition, false)}`;
    case "all":
    case "any":
      return `(${conditionText(condition, strict)})`;
  }
}

const isAmount = ({ kind }: Condition) => kind === "total" || kind === "spend";
const isCurrency = (one: Condition) => one.kind === "text" && one.fact === "cart.currency";

/** What is true of every request, or follows from another condition, is not worth words. */
function isSaid(one: Condition, all: readonly Condition[]): boolean {
  if (one.kind !== "exists" || !one.expected) return true;
  return one.fact === "cart.total" ? !all.some(isAmount) : one.fact !== "skill";
}

function conditionText(condition: Condition, strict: Strict): string {
  if (condition.kind === "any") return or(condition.conditions.map((one) => leafText(one, strict)));
  if (condition.kind !== "all") return leafText(condition, strict);
  const { conditions } = condition;
  const unknownMatches = strict && !conditions.some(isCurrency);
  const stated = conditions.filter((one) => isSaid(one, conditions));
  return and(stated.map((one) => leafText(one, unknownMatches)));
}

const isEverything = (when: Condition) =>
  when.kind === "exists" && when.fact === "skill" && when.expected;

/** When a rule matches: “the total is more than €50.00”. Undefined if it always does. */
function whenText({ when, effect }: PolicyRule): string | undefined {
  return isEverything(when) ? undefined : conditionText(when, effect !== "allow");
}

const EFFECTS = {
  allow: "Approve",
  escalate: "Ask for review of",
  deny: "Decline",
} as const;

/** One rule of a document as it is understood. Undefined if it has an error. */
function readRule(rule: JsonObject): PolicyRule | undefined {
  const frame = { policy: "rules/1", timezone: "UTC", default: "deny" };
  const read = readPolicy({ ...frame, rules: [rule] });
  return read.ok ? read.value.rules[0] : undefined;
}

/** A rule in a sentence: “Approve requests when the total is at most €50.00.” Undefined if it has an error. */
export function ruleText(document: JsonObject): string | undefined {
  const rule = readRule(document);
  if (rule === undefined) return undefined;
  const when = whenText(rule);
  const what = when === undefined ? "every request" : `requests when ${when}`;
  const watched = rule.mode === "monitor" ? " This rule is only tested and has no effect." : "";
  return `${EFFECTS[rule.effect]} ${what}.${watched}`;
}

/** Why a rule asks for a review, in a sentence. */
export function askedText(document: JsonObject): string {
  const rule = readRule(document);
  const when = rule && whenText(rule);
  if (when === undefined) return "Your rules ask for a review of every request.";
  return `Your rules ask for a review when ${when}.`;
}
