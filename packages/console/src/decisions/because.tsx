import type { JsonObject } from "@gatehouse/protocol";
import { ruleName } from "../policy/rule-name.js";
import { Badge } from "../ui/badge.js";
import { Card } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { countText, moneyText, titleOf, windowText } from "../ui/words.js";
import type { Explained } from "./decisions.js";
import { POOL_TEXT, useRules } from "./story.js";

const EFFECTS: Readonly<Record<string, string>> = {
  allow: "approve",
  escalate: "ask for review",
  deny: "decline",
};

type Facts = Explained["facts"];
const membersOf = (value: unknown) => (typeof value === "object" && value !== null ? value : {});

/** Whose spending or requests a fact counts, and for how long. */
function spanWords(scope: string, window: unknown): string {
  const who = scope === "agent" ? "this agent" : "all agents";
  return ` by ${who} in ${windowText(String(window))}`;
}

/** One fact as text. */
function factText(value: unknown): string {
  if (Array.isArray(value)) return value.map(factText).join("; ") || "none";
  const { currency, minor, total, scope, window, count } = membersOf(value) as Facts;
  const sum = minor ?? total;
  if (typeof currency === "string" && typeof sum === "number") {
    const whose = typeof scope === "string" ? spanWords(scope, window) : "";
    return moneyText({ minor: sum, currency }) + whose;
  }
  if (typeof scope === "string")
    return countText(Number(count), "request") + spanWords(scope, window);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** What people call the facts. */
const NAMES: Readonly<Record<string, string>> = {
  "agent.age_days": "Days since the agent registered",
  "agent.id": "ID of the agent",
  "agent.tags": "Tags of the agent",
  "buyer.present": "The buyer pays on the payment page",
  cart: "Total",
  count: "Requests",
  protocol: "Protocol",
  skill: "Action",
  spend: "Spent",
  "time.local": "Time",
};

/** One fact as people read it. */
function shownFact([name, text]: readonly [string, string]) {
  const read = name === "skill" ? skillTitle(text) : name === "protocol" ? titleOf(text) : text;
  return [
    NAMES[name] ?? name,
    read.replace(/^(true|false)$/, (word) => (word === "true" ? "Yes" : "No")),
  ] as const;
}

/** Facts by the names that rules use, such as `agent.tags`. */
function factRows(facts: Facts): readonly (readonly [string, string])[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const named = name !== "cart" && typeof value === "object" && !Array.isArray(value);
    if (!named) return [[name, factText(value)] as const];
    return Object.entries(membersOf(value)).map(
      ([member, inner]) => [`${name}.${member}`, factText(inner)] as const,
    );
  });
}

/** The result of a rule in words. */
const RESULTS: Readonly<Record<string, string>> = {
  matched: "Matched",
  not_matched: "Did not match",
  unknown: "A fact was missing",
};

/** The name and the effect of a rule. */
function ruleWords(id: string, rule: JsonObject | undefined): string {
  if (rule === undefined) return id;
  const effect = EFFECTS[String(rule.effect)];
  return effect === undefined ? ruleName(rule) : `${ruleName(rule)}: ${effect}`;
}

/** Every rule with its result. */
export function Rules({ decision }: { readonly decision: Explained }) {
  const { rules, rule_id, reason, policy_version } = decision;
  const published = useRules(decision);
  if (rules.length === 0) {
    return (
      <Card title="Rules">
        <p className="text-sm text-soft">
          The rules were not evaluated. The request was declined before that, or you had no rules
          yet.
        </p>
      </Card>
    );
  }
  return (
    <Card title={`Rules (version ${policy_version ?? "–"})`}>
      <ol className="flex flex-col gap-1 text-sm">
        {rules.map(({ id, result }) => (
          <li key={id} className="flex flex-wrap items-center gap-2">
            <span className={id === rule_id ? "font-semibold" : ""}>
              {ruleWords(id, published.get(id))}
            </span>
            <Badge
              word={RESULTS[result] ?? result}
              look={id === rule_id ? "good" : result === "unknown" ? "warn" : "plain"}
            />
            {id === rule_id && <span className="text-soft">← decided</span>}
          </li>
        ))}
      </ol>
      {rule_id === null && (
        <p className="text-sm text-soft">
          {reason === "budget_exceeded" ? POOL_TEXT : "No rule matched, so the default decided."}
        </p>
      )}
    </Card>
  );
}

/** The facts that the rules used, as recorded. */
export function FactsCard({ facts }: { readonly facts: Facts }) {
  const rows = factRows(facts).map(shownFact);
  if (rows.length === 0) return null;
  return (
    <Card title="Facts used by the rules">
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

/** The reasons that the agent received, in words. */
export function Reasons({ codes }: { readonly codes: readonly string[] }) {
  if (codes.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 text-sm">
      {codes.map((code) => (
        <li key={code}>
          <Badge word={titleOf(code)} />
        </li>
      ))}
    </ul>
  );
}
