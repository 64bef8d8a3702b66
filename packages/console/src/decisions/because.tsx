import type { JsonObject } from "@gatehouse/protocol";
import { Badge } from "../ui/badge.js";
import { Card } from "../ui/page.js";
import { moneyText, plainWord, windowText } from "../ui/words.js";
import type { Explained } from "./decisions.js";
import { POOL_TEXT, useRules } from "./story.js";

type Facts = Explained["facts"];
const membersOf = (value: unknown) => (typeof value === "object" && value !== null ? value : {});

/** One fact as text; sums of money as people write them. */
function factText(value: unknown): string {
  if (Array.isArray(value)) return value.map(factText).join("; ") || "none";
  const { currency, minor, total, scope, window, count } = membersOf(value) as Facts;
  const sum = minor ?? total;
  if (typeof currency === "string" && typeof sum === "number") {
    const whose = typeof scope === "string" ? `, ${scope} in ${windowText(String(window))}` : "";
    return moneyText({ minor: sum, currency }) + whose;
  }
  if (typeof scope === "string")
    return `${String(count)}, ${scope} in ${windowText(String(window))}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Facts by the names rules know them by: `agent.tags`, and not what stands in `agent`. */
function factRows(facts: Facts): readonly (readonly [string, string])[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const named = name !== "cart" && typeof value === "object" && !Array.isArray(value);
    if (!named) return [[name, factText(value)] as const];
    return Object.entries(membersOf(value)).map(
      ([member, inner]) => [`${name}.${member}`, factText(inner)] as const,
    );
  });
}

/** What came of a rule, in a person's words. */
const RESULTS: Readonly<Record<string, string>> = {
  matched: "matched",
  not_matched: "did not match",
  unknown: "a fact was not known",
};

/** What a rule is called and what it does. */
function ruleWords(rule: JsonObject | undefined): string {
  if (rule === undefined) return "";
  return [rule.title, rule.effect].filter((word) => typeof word === "string").join(": ");
}

/** The rules in the policy's order, and what became of each. */
export function Rules({ decision }: { readonly decision: Explained }) {
  const { rules, rule_id, reason, policy_version } = decision;
  const published = useRules(decision);
  if (rules.length === 0) {
    return (
      <Card title="Rules">
        <p className="text-sm text-soft">
          No rule was asked: it was refused before, or the site had no policy.
        </p>
      </Card>
    );
  }
  return (
    <Card title={`Rules (policy version ${policy_version ?? "–"})`}>
      <ol className="flex flex-col gap-1 text-sm">
        {rules.map(({ id, result }) => (
          <li key={id} className="flex flex-wrap items-center gap-2">
            <span className={id === rule_id ? "font-semibold" : ""}>{id}</span>
            <span className="text-soft">{ruleWords(published.get(id))}</span>
            <Badge
              word={RESULTS[result] ?? result}
              look={id === rule_id ? "good" : result === "unknown" ? "warn" : "plain"}
            />
            {id === rule_id && <span className="text-soft">← this one decided</span>}
          </li>
        ))}
      </ol>
      {rule_id === null && (
        <p className="text-sm text-soft">
          {reason === "budget_exceeded" ? POOL_TEXT : "No rule decided: the policy's default did."}
        </p>
      )}
    </Card>
  );
}

/** What the rules knew, as it stands in the record. */
export function FactsCard({ facts }: { readonly facts: Facts }) {
  const rows = factRows(facts);
  if (rows.length === 0) return null;
  return (
    <Card title="Facts the rules knew">
      <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-1 text-sm">
        {rows.map(([name, value]) => (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** The codes an agent was told, in words. */
export function Reasons({ codes }: { readonly codes: readonly string[] }) {
  if (codes.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 text-sm">
      {codes.map((code) => (
        <li key={code}>
          <Badge word={plainWord(code)} />
        </li>
      ))}
    </ul>
  );
}
