import { type PolicyFinding, warning } from "./finding.js";
import type { PolicyRule } from "./model.js";
import { leaves } from "./needs.js";
import type { Overlaps, PolicySiteFacts } from "./overlaps.js";

function namedSkills({ when }: PolicyRule): readonly string[] {
  const named = [...leaves(when)].flatMap((leaf) =>
    leaf.kind === "text" && leaf.fact === "skill" && leaf.operator !== "prefix" ? leaf.values : [],
  );
  return [...new Set(named)];
}

function namedCurrencies({ when }: PolicyRule): readonly string[] {
  const named = [...leaves(when)].flatMap((leaf) => {
    if (leaf.kind === "total" || leaf.kind === "spend") {
      return leaf.limits.map(({ currency }) => currency);
    }
    return leaf.kind === "text" && leaf.fact === "cart.currency" ? leaf.values : [];
  });
  return [...new Set(named)];
}

/** What a rule says that has no meaning on this site: other actions or other currencies than it has. */
export function* siteFindings(
  overlaps: Overlaps,
  rule: PolicyRule,
  { isSkill = () => true }: PolicySiteFacts,
): Generator<PolicyFinding> {
  const { id, mode } = rule;
  const skills = namedSkills(rule);
  const unknown = skills.filter((skill) => !isSkill(skill));
  for (const skill of unknown) {
    const message = `The rule “${id}” names the skill “${skill}”, which this site does not have. Check the spelling.`;
    yield warning("unknown_skill", id, message);
  }
  if (mode === "monitor") return;
  if (unknown.length === 0 && overlaps.isAboutOtherSkills(rule)) {
    const which = skills.length === 1 ? `“${skills[0]}”, which is` : "actions that are";
    const message = `The rule “${id}” has no effect now, because it is only about ${which} not offered. Turn on the action, or remove the rule.`;
    yield warning("skill_not_offered", id, message);
  } else if (overlaps.isAboutOtherCurrencies(rule)) {
    const which = namedCurrencies(rule).join(", ");
    const message = `The rule “${id}” has no effect on purchases, because no product has a price in ${which}. Change the currency.`;
    yield warning("currency_not_used", id, message);
  }
}
