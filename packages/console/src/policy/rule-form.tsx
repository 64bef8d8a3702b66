import { isJsonObject, type JsonObject } from "@gatehouse/protocol";
import { useState } from "react";
import { Button } from "../ui/button.js";
import { Select, TextArea, TextField } from "../ui/field.js";
import { Fold } from "../ui/fold.js";
import { ActionsField } from "./actions-field.js";
import { type Condition, firstOf, KINDS, readConditions, writeConditions } from "./conditions.js";

const EFFECTS = {
  allow: "Approve",
  escalate: "Ask for review",
  deny: "Decline",
} as const;

const TITLE_CHARS_MAX = 120;
const text = (value: unknown) => (typeof value === "string" ? value : "");
const LABELS = Object.fromEntries(Object.entries(KINDS).map(([kind, { label }]) => [kind, label]));

function ConditionForm({
  condition,
  onChange,
  onRemove,
}: {
  readonly condition: Condition;
  onChange(condition: Condition): void;
  onRemove?: (() => void) | undefined;
}) {
  const { kind, filled } = condition;
  return (
    <li className="flex flex-wrap items-end gap-2">
      <Select
        label="When"
        value={kind}
        choices={LABELS}
        onChoose={(chosen) => onChange(firstOf(chosen))}
      />
      {KINDS[kind]?.fields.map(({ name, label, choices, actions }) => {
        const set = (value: string) => onChange({ kind, filled: { ...filled, [name]: value } });
        const value = filled[name] ?? "";
        if (actions) return <ActionsField key={name} label={label} value={value} onChange={set} />;
        return choices === undefined ? (
          <div key={name} className="w-24">
            <TextField label={label} value={value} onChange={({ target }) => set(target.value)} />
          </div>
        ) : (
          <Select key={name} label={label} value={value} choices={choices} onChoose={set} />
        );
      })}
      {onRemove !== undefined && <Button onClick={onRemove}>Remove</Button>}
    </li>
  );
}

/** A condition that the form cannot show, as JSON. */
function RawCondition({ rule, onChange }: RuleProps) {
  const [draft, setDraft] = useState(JSON.stringify(rule.when, null, 2));
  function take(value: string) {
    setDraft(value);
    try {
      const when: unknown = JSON.parse(value);
      if (isJsonObject(when as never)) onChange({ ...rule, when: when as JsonObject });
    } catch {
      // Not complete yet: keep the last valid condition.
    }
  }
  return (
    <TextArea
      code
      label="When (JSON)"
      rows={6}
      value={draft}
      onChange={({ target }) => take(target.value)}
    />
  );
}

interface RuleProps {
  readonly rule: JsonObject;
  onChange(rule: JsonObject): void;
}

/** One rule: what it does and when. */
export function RuleForm({ rule, onChange }: RuleProps) {
  const conditions = readConditions(rule.when);
  const change = (next: readonly Condition[]) => onChange({ ...rule, when: writeConditions(next) });
  const { escalation: _waits, ...plain } = rule;
  const { title: _title, ...untitled } = rule;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-2 sm:grid-cols-[2fr_1fr]">
        <TextField
          label="Title"
          value={text(rule.title)}
          maxLength={TITLE_CHARS_MAX}
          onChange={({ target }) =>
            onChange(target.value === "" ? untitled : { ...rule, title: target.value })
          }
        />
        <Select
          label="Then"
          value={text(rule.effect)}
          choices={EFFECTS}
          // Only a rule that asks for review has a time limit.
          onChoose={(effect) => onChange({ ...(effect === "escalate" ? rule : plain), effect })}
        />
      </div>
      {conditions === undefined ? (
        <RawCondition rule={rule} onChange={onChange} />
      ) : (
        <ul className="flex flex-col gap-2">
          {conditions.map((condition, place) => (
            <ConditionForm
              // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no name; their place is what they are known by.
              key={place}
              condition={condition}
              onChange={(one) => change(conditions.with(place, one))}
              onRemove={
                conditions.length > 1 ? () => change(conditions.toSpliced(place, 1)) : undefined
              }
            />
          ))}
        </ul>
      )}
      {conditions !== undefined && (
        <Button
          className="self-start"
          onClick={() => change([...conditions, firstOf("total_over")])}
        >
          Add a condition
        </Button>
      )}
      <Fold label="Advanced">
        <TextField
          label="ID"
          hint="Programs and the audit log know the rule by it."
          value={text(rule.id)}
          onChange={({ target }) => onChange({ ...rule, id: target.value })}
        />
      </Fold>
    </div>
  );
}
