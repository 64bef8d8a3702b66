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

/** What a rule that cannot be read is called: by its title, or by its place. */
function namedAt(rules: readonly JsonObject[], place: number): string {
  const title = rules[place]?.title;
  return title ? `“${title}”` : `Rule ${place + 1}`;
}

/** Parts of a path that only the JSON has. */
const ONLY_JSON = /^(?:\d*|when|all|any|not|[gl]te?|eq|in|not_in)$/;

/** The field of a rule in words: `when.all[1].cart.total.gt` is `cart total`. */
const fieldOf = (path: string) =>
  path
    .split(/[.[\]]/)
    .filter((part) => !ONLY_JSON.test(part))
    .join(" ");

/**
 * A message of the service about rules, with the names of rules and actions instead of their IDs and of their places in
 * the JSON.
 */
export function namedByTitle(message: string, document: JsonObject | undefined): string {
  const rules = rulesOf(document ?? {});
  const names = new Map(rules.map((rule) => [String(rule.id), ruleName(rule)] as const));
  const placed = message.replace(
    /^rules\[(\d+)\]([\w.[\]]*): /,
    (_, place: string, path: string) => {
      const field = fieldOf(path);
      return `${namedAt(rules, Number(place))}: ${field === "" ? "" : `${field} `}`;
    },
  );
  return placed.replace(/“([^“”]+)”/g, (quoted, id: string) => {
    const name = names.get(id) ?? builtInSkill(id)?.title;
    return name === undefined ? quoted : `“${name}”`;
  });
}
