import type { JsonObject } from "@gatehouse/protocol";
import { useState } from "react";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Select } from "../ui/field.js";
import { TimeZoneField } from "../ui/time-zone-field.js";
import { Findings } from "./findings.js";
import { type Finding, rulesOf } from "./policy.js";
import { RuleForm } from "./rule-form.js";
import { ruleName, ruleSentence } from "./rule-name.js";

const DEFAULTS = { deny: "Decline", escalate: "Ask for review" };
/** The word and the look of each effect. */
const EFFECTS: Readonly<Record<string, readonly [string, "good" | "warn" | "bad"]>> = {
  allow: ["approve", "good"],
  escalate: ["ask_for_review", "warn"],
  deny: ["decline", "bad"],
};

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

/** An ID that no other rule has. */
function freshId(rules: readonly JsonObject[]): string {
  const taken = new Set(rules.map(({ id }) => id));
  for (let number = rules.length + 1; ; number++) {
    const id = `rule-${number}`;
    if (!taken.has(id)) return id;
  }
}

interface RowProps {
  readonly rule: JsonObject;
  readonly findings: readonly Finding[];
  readonly mayChange: boolean;
  readonly open: boolean;
  onOpen(open: boolean): void;
  onChange(rule: JsonObject): void;
  onRemove(): void;
}

function Row({ rule, findings, mayChange, open, ...on }: RowProps) {
  const name = ruleName(rule);
  const [effect, look] = EFFECTS[textOf(rule.effect)] ?? ["invalid", "bad"];
  return (
    <li className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-card p-4">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-baseline gap-x-2 font-medium">
            <Badge word={effect} look={look} />
            <span className="min-w-0 break-words">{name}</span>
          </p>
          <p className="mt-1 text-sm text-soft">{ruleSentence(rule)}</p>
        </div>
        {mayChange && (
          <span className="flex gap-2">
            <Button
              aria-expanded={open}
              aria-label={`${open ? "Close" : "Edit"} rule ${name}`}
              onClick={() => on.onOpen(!open)}
            >
              {open ? "Close" : "Edit"}
            </Button>
            <Button aria-label={`Remove rule ${name}`} onClick={on.onRemove}>
              Remove
            </Button>
          </span>
        )}
      </div>
      {findings.length > 0 && <Findings findings={findings} />}
      {open && mayChange && <RuleForm rule={rule} onChange={on.onChange} />}
    </li>
  );
}

/** The rules in sentences, each with its problems and a form. */
export function RuleList({
  policy,
  findings,
  mayChange,
  onChange,
}: {
  readonly policy: JsonObject;
  readonly findings: readonly Finding[];
  readonly mayChange: boolean;
  onChange(policy: JsonObject): void;
}) {
  const [opened, setOpened] = useState<number | null>(null);
  const rules = rulesOf(policy);
  const setRules = (next: readonly JsonObject[]) => onChange({ ...policy, rules: [...next] });
  const add = () => {
    const when = { "cart.total": { gt: { EUR: "50.00" } } };
    setRules([...rules, { id: freshId(rules), effect: "escalate", when }]);
    setOpened(rules.length);
  };
  const remove = (place: number) => {
    setRules(rules.toSpliced(place, 1));
    setOpened(null);
  };
  return (
    <>
      <p className="text-sm text-soft">
        If several rules match, decline wins over review, and review wins over approve. If no rule
        matches, the default applies.
      </p>
      <ol aria-label="Rules" className="flex flex-col gap-3">
        {rules.map((rule, place) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: the name of a rule is changed here; its place is not.
            key={place}
            rule={rule}
            mayChange={mayChange}
            findings={findings.filter((finding) => finding.rule === rule.id)}
            open={opened === place}
            onOpen={(open) => setOpened(open ? place : null)}
            onChange={(changed) => setRules(rules.with(place, changed))}
            onRemove={() => remove(place)}
          />
        ))}
      </ol>
      <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-3">
        <legend className="sr-only">All rules</legend>
        {mayChange && (
          <Button className="self-start" onClick={add}>
            Add a rule
          </Button>
        )}
        <div className="grid max-w-xl gap-3 sm:grid-cols-2">
          <Select
            label="If no rule matches"
            value={textOf(policy.default)}
            choices={DEFAULTS}
            onChoose={(value) => onChange({ ...policy, default: value })}
          />
          <TimeZoneField
            label="Time zone"
            value={textOf(policy.timezone)}
            onChoose={(timezone) => onChange({ ...policy, timezone })}
          />
        </div>
      </fieldset>
    </>
  );
}
