import { useId } from "react";
import { Fold } from "../ui/fold.js";
import { Card } from "../ui/page.js";
import { typedAmount } from "../ui/words.js";
import { Presets } from "./presets.js";
import { type Sentence, sentenceProblems } from "./sentence.js";

const AMOUNT_CHARS_MAX = 16;

interface AmountProps {
  readonly label: string;
  readonly value: string;
  readonly currency: string;
  /** What is wrong with it. */
  readonly problem: string | undefined;
  readonly disabled: boolean;
  onChange(value: string): void;
}

/** An amount inside a sentence. */
function Amount({ label, value, currency, problem, disabled, onChange }: AmountProps) {
  const id = useId();
  return (
    <span className="inline-block whitespace-nowrap align-top">
      <input
        aria-label={`${label} (${currency})`}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && id}
        inputMode="decimal"
        maxLength={AMOUNT_CHARS_MAX}
        disabled={disabled}
        value={value}
        placeholder="no limit"
        onChange={({ target }) => onChange(typedAmount(target.value, currency))}
        className="w-24 rounded-lg border border-line bg-back px-2 py-1 text-right leading-6 tabular-nums disabled:opacity-60 aria-invalid:border-bad"
      />{" "}
      {currency}
      {problem !== undefined && (
        <span id={id} role="alert" className="block text-xs leading-5 text-bad">
          {problem}
        </span>
      )}
    </span>
  );
}

const LABELS = {
  limit: "Approve up to",
  ceiling: "Decline above",
  day: "Daily limit of one agent",
} as const;
type Name = keyof typeof LABELS;

/** The rules of the common case, as one sentence with fields. */
export function SentenceForm({
  sentence,
  mayChange,
  onChange,
  onPreset,
}: {
  readonly sentence: Sentence | undefined;
  readonly mayChange: boolean;
  onChange(sentence: Sentence): void;
  onPreset(text: string): void;
}) {
  if (sentence === undefined) {
    return (
      <Card title="What agents can do by themselves">
        <p className="text-sm text-soft">
          Your rules do not fit in one sentence. Change them in the list below.
        </p>
        {mayChange && (
          <Fold label="Choose a new starting point">
            <Presets use="Use this" isMain={false} onUse={onPreset} />
          </Fold>
        )}
      </Card>
    );
  }
  const { currency, opensPage } = sentence;
  const problems: Partial<Record<Name, string>> = sentenceProblems(sentence);
  const field = (name: Name) => (
    <Amount
      label={LABELS[name]}
      currency={currency}
      value={sentence[name] ?? ""}
      problem={problems[name]}
      disabled={!mayChange}
      onChange={(value) => onChange({ ...sentence, [name]: value })}
    />
  );
  return (
    <Card title="What agents can do by themselves">
      <p className="text-base leading-10">
        Approve orders up to {field("limit")} without asking me. Ask me above that, and decline
        above {field("ceiling")}.
        {sentence.day !== null && (
          <> Ask me too if one agent spends more than {field("day")} in a day.</>
        )}
      </p>
      <p className="text-sm text-soft">
        Orders in other currencies need your review.
        {opensPage && " Orders that a person pays on the payment page are always approved."}
      </p>
    </Card>
  );
}
