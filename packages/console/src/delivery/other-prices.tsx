import { Button } from "../ui/button.js";
import { CurrencyField } from "../ui/currency-field.js";
import { TextField } from "../ui/field.js";
import type { OptionDraft } from "./draft.js";

/** Prices in more currencies. An option is offered only in the currencies that it has a price in. */
export function OtherPrices({
  at,
  option,
  onChange,
}: {
  /** The path of the option. */
  readonly at: string;
  readonly option: OptionDraft;
  onChange(option: OptionDraft): void;
}) {
  const { others, currency } = option;
  const set = (next: OptionDraft["others"]) => onChange({ ...option, others: next });
  const without = (code: string) => {
    const { [code]: _removed, ...rest } = others;
    return rest;
  };
  return (
    <div className="flex flex-col gap-2 sm:col-span-full">
      {Object.entries(others).map(([code, price]) => (
        <div key={code} className="flex max-w-md items-start gap-2">
          <TextField
            label={`Amount in ${code}`}
            name={`${at}.prices.${code}`}
            inputMode="decimal"
            required
            value={price}
            onChange={({ target }) => set({ ...others, [code]: target.value })}
          />
          <Button
            className="mt-6"
            aria-label={`Remove the amount in ${code}`}
            onClick={() => set(without(code))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div data-adds className="max-w-xs">
        <CurrencyField
          label="Also charge in"
          none="Choose…"
          value=""
          onChoose={(code) => {
            const isNew = code !== "" && code !== currency && others[code] === undefined;
            if (isNew) set({ ...others, [code]: "" });
          }}
        />
      </div>
    </div>
  );
}
