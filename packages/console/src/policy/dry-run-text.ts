import type { JsonObject } from "@gatehouse/protocol";
import type { Api } from "../api/client.js";
import { countText, moneyText } from "../ui/words.js";
import { rulesOf } from "./policy.js";
import { ruleName } from "./rule-name.js";

type Tested = Api["PolicyTest"];
type Changed = Tested["changed"][number];
type DecisionOutcome = Changed["was"]["outcome"];

/** A draft is tried on the requests of so many days. */
export const DAYS = 30;
/** And on so many of them at most. */
export const REQUESTS_MAX = 1000;

const WOULD: Readonly<Record<DecisionOutcome, string>> = {
  approved: "would have been approved",
  escalated: "would have needed your review",
  rejected: "would have been declined",
};
const IS: Readonly<Record<DecisionOutcome, string>> = {
  approved: "Your current rules approve it",
  escalated: "Your current rules ask for a review",
  rejected: "Your current rules decline it",
};

const listed = (texts: readonly string[]) =>
  new Intl.ListFormat("en", { type: "conjunction" }).format(texts);

/** The sum of the amounts in each currency. Empty if there are none. */
function sumText(changed: readonly Changed[]): string {
  const sums = new Map<string, number>();
  for (const { amount } of changed) {
    if (amount !== null) {
      sums.set(amount.currency, (sums.get(amount.currency) ?? 0) + amount.minor);
    }
  }
  return listed([...sums].map(([currency, minor]) => moneyText({ currency, minor })));
}

/** What was tried: “Of 42 purchases in the last 30 days”. */
function triedText({ tested, purchases }: Tested): string {
  const requests = countText(tested, "request");
  const bought = countText(purchases, "purchase");
  const span = tested === REQUESTS_MAX ? "recently" : `in the last ${DAYS} days`;
  if (purchases === tested) return `Of ${bought} ${span}`;
  return `Of ${requests} ${span} (including ${bought})`;
}

/** The result of a test in a sentence. */
export function testText(test: Tested): string {
  if (test.tested === 0) return `There were no requests in the last ${DAYS} days to try it on.`;
  if (test.changed.length === 0)
    return `${triedText(test)}, none would be decided differently than with your current rules.`;
  const groups = (Object.keys(WOULD) as DecisionOutcome[]).flatMap((outcome) => {
    const group = test.changed.filter(({ would_be }) => would_be.outcome === outcome);
    if (group.length === 0) return [];
    const sum = sumText(group);
    return [`${group.length} ${WOULD[outcome]}${sum === "" ? "" : ` (${sum})`}`];
  });
  return `${triedText(test)}, ${test.changed.length} would be decided differently than with your current rules: ${listed(groups)}.`;
}

/** A rule as its owner knows it: by its title or its sentence. */
function ruleText(draft: JsonObject, ruleId: string | null): string {
  if (ruleId === null) return "because no rule matches";
  const rule = rulesOf(draft).find(({ id }) => id === ruleId);
  return rule === undefined ? "by these rules" : `by the rule “${ruleName(rule)}”`;
}

/** One request that would be decided differently, in a sentence. */
export function changedText({ was, would_be }: Changed, draft: JsonObject): string {
  const rule = ruleText(draft, would_be.rule_id);
  return `${IS[was.outcome]}. It ${WOULD[would_be.outcome]} ${rule}.`;
}
