import { builtInSkill, type JsonObject } from "@gatehouse/protocol";
import { rulesOf } from "./policy.js";
import { ruleText } from "./rule-text.js";

/** A rule in a sentence, or that it has none. */
export const ruleSentence = (rule: JsonObject): string =>
  ruleText(rule) ?? "This rule has an error.";

/** What people call a rule: its title, or else its sentence. */
export function ruleName(rule: JsonObject): string {
  const { title } = rule;
  if (typeof title === "string" && title !== "") return title;
  return ruleSentence(rule).replace(/\.$/, "");
}

/** A message of the service about rules, with the names of rules and actions instead of their IDs. */
export function namedByTitle(message: string, document: JsonObject | undefined): string {
  const names = new Map(
    rulesOf(document ?? {}).map((rule) => [String(rule.id), ruleName(rule)] as const),
  );
  return message.replace(/“([^“”]+)”/g, (quoted, id: string) => {
    const name = names.get(id) ?? builtInSkill(id)?.title;
    return name === undefined ? quoted : `“${name}”`;
  });
}
