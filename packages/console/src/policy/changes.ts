import { isJsonObject, type JsonObject, parseJson } from "@gatehouse/protocol";
import { countText } from "../ui/words.js";
import { rulesOf } from "./policy.js";
import { ruleName, ruleSentence } from "./rule-name.js";

/** One difference between two versions of the rules, in a sentence. */
export interface RuleChange {
  readonly kind: "new" | "changed" | "removed";
  readonly text: string;
}

const DEFAULTS: Readonly<Record<string, string>> = {
  deny: "decline it",
  escalate: "ask for review",
};

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const changed = (text: string): RuleChange => ({ kind: "changed", text });
const withoutRules = ({ rules: _rules, version: _version, ...rest }: JsonObject) => rest;

/** How a review goes that a rule asks for. */
function reviewText({ escalation }: JsonObject): string {
  const { approvals = 1, timeout } = isJsonObject(escalation) ? escalation : {};
  const people = countText(Number(approvals), "person must approve", "people must approve");
  return timeout === undefined ? people : `${people}, within ${timeout}`;
}

/** What changed in a rule. What has no words of its own is named as other details. */
function ruleChanges(before: JsonObject, after: JsonObject): RuleChange[] {
  const changes: RuleChange[] = [];
  const name = `“${ruleName(before)}”`;
  const [was, is] = [ruleSentence(before), ruleSentence(after)];
  if (was !== is) changes.push(changed(`${name}: “${was}” is now “${is}”`));
  if (before.title !== after.title && ruleName(before) !== ruleName(after)) {
    changes.push(changed(`${name} is now called “${ruleName(after)}”.`));
  }
  if (!same(before.escalation, after.escalation) && after.effect === "escalate") {
    changes.push(changed(`${name}: ${reviewText(after)}.`));
  }
  if (changes.length > 0 || same(before, after)) return changes;
  return [changed(`${name} has other details.`)];
}

const listed = (document: JsonObject) =>
  rulesOf(document).map((rule) => [String(rule.id), rule] as const);

/** What is different in a later version of the rules, in sentences. */
export function policyChanges(before: JsonObject, after: JsonObject): readonly RuleChange[] {
  const [old, now] = [new Map(listed(before)), new Map(listed(after))];
  const changes: RuleChange[] = [];
  for (const [id, rule] of now) {
    const was = old.get(id);
    if (was !== undefined) changes.push(...ruleChanges(was, rule));
    else changes.push({ kind: "new", text: `“${ruleName(rule)}”: ${ruleSentence(rule)}` });
  }
  for (const [id, rule] of old) {
    if (now.has(id)) continue;
    changes.push({ kind: "removed", text: `“${ruleName(rule)}”: ${ruleSentence(rule)}` });
  }
  if (before.default !== after.default) {
    const does = DEFAULTS[String(after.default)] ?? "do something else";
    changes.push(changed(`If no rule matches a request, ${does}.`));
  }
  if (before.timezone !== after.timezone) {
    changes.push(changed(`Times are counted in ${after.timezone}.`));
  }
  const rest = (document: JsonObject) => {
    const { default: _default, timezone: _timezone, ...others } = withoutRules(document);
    return others;
  };
  const isReordered = changes.length === 0 && !same(rulesOf(before), rulesOf(after));
  if (isReordered) changes.push(changed("The rules are in another order."));
  if (!same(rest(before), rest(after))) changes.push(changed("Other settings are different."));
  return changes;
}

/** The rules in a text; none if it is empty or no JSON object. */
export function documentIn(text: string): JsonObject {
  const parsed = text === "" ? undefined : parseJson(text);
  return parsed?.ok && isJsonObject(parsed.value) ? parsed.value : {};
}
