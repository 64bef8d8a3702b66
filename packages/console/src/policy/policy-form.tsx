import { isJsonObject, type JsonObject } from "@gatehouse/protocol";
import { Button } from "../ui/button.js";
import { Select, TextField } from "../ui/field.js";
import { Card } from "../ui/page.js";
import { RuleForm } from "./rule-form.js";

const DEFAULTS = { deny: "Decline", escalate: "Ask for review" };

const rulesOf = ({ rules }: JsonObject) =>
  Array.isArray(rules) ? rules.filter((rule) => isJsonObject(rule)) : [];

/** An ID that no other rule has. */
function freshId(rules: readonly JsonObject[]): string {
  const taken = new Set(rules.map(({ id }) => id));
  for (let number = rules.length + 1; ; number++) {
    const id = `rule-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** The rules as a form. */
export function PolicyForm({
  policy,
  onChange,
}: {
  readonly policy: JsonObject;
  onChange(policy: JsonObject): void;
}) {
  const rules = rulesOf(policy);
  const setRules = (next: readonly JsonObject[]) => onChange({ ...policy, rules: [...next] });
  const add = () => {
    const rule = {
      id: freshId(rules),
      effect: "escalate",
      when: { "cart.total": { gt: { EUR: "50.00" } } },
    };
    setRules([...rules, rule]);
  };
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-soft">
        If several rules match, decline wins over review, and review wins over approve. If no rule
        matches, the default applies.
      </p>
      {rules.map((rule, place) => (
        <Card
          // biome-ignore lint/suspicious/noArrayIndexKey: the name of a rule is changed here; its place is not.
          key={place}
          title={`Rule ${place + 1}`}
          actions={<Button onClick={() => setRules(rules.toSpliced(place, 1))}>Remove rule</Button>}
        >
          <RuleForm rule={rule} onChange={(one) => setRules(rules.with(place, one))} />
        </Card>
      ))}
      <Button className="self-start" onClick={add}>
        Add a rule
      </Button>
      <div className="grid max-w-xl gap-3 sm:grid-cols-2">
        <Select
          label="If no rule matches"
          value={text(policy.default)}
          choices={DEFAULTS}
          onChoose={(value) => onChange({ ...policy, default: value })}
        />
        <TextField
          label="Time zone"
          value={text(policy.timezone)}
          onChange={({ target }) => onChange({ ...policy, timezone: target.value })}
        />
      </div>
    </div>
  );
}
