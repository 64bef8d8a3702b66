import { Button } from "../ui/button.js";
import { CurrencyField } from "../ui/currency-field.js";
import { Select, TextField } from "../ui/field.js";
import { COUNTRIES, countryName, ELSEWHERE } from "./countries.js";
import { newOption, newZone, type OptionDraft, type ZoneDraft } from "./draft.js";
import { OtherPrices } from "./other-prices.js";

const replaced = <Item extends { readonly key: string }>(items: readonly Item[], item: Item) =>
  items.map((one) => (one.key === item.key ? item : one));
const without = <Item extends { readonly key: string }>(items: readonly Item[], { key }: Item) =>
  items.filter((one) => one.key !== key);

function Countries({
  at,
  zone,
  taken,
  onChange,
}: {
  /** The path of the zone. */
  readonly at: string;
  readonly zone: ZoneDraft;
  readonly taken: ReadonlySet<string>;
  onChange(countries: readonly string[]): void;
}) {
  const free = Object.entries({ [ELSEWHERE]: "All other countries", ...COUNTRIES }).filter(
    ([code]) => !taken.has(code),
  );
  return (
    <div className="flex flex-col gap-2">
      <ul className="flex flex-wrap gap-2" aria-label="Countries">
        {zone.countries.map((code) => (
          <li key={code} className="rounded-full border border-line px-3 py-1 text-sm">
            {countryName(code)}{" "}
            <button
              type="button"
              className="link"
              aria-label={`Remove ${countryName(code)}`}
              onClick={() => onChange(zone.countries.filter((one) => one !== code))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <div data-adds className="max-w-xs">
        <Select
          label="Add a country"
          name={`${at}.countries`}
          value=""
          choices={{ "": "Choose…", ...Object.fromEntries(free) }}
          onChoose={(code) => code !== "" && onChange([...zone.countries, code])}
        />
      </div>
    </div>
  );
}

function Option({
  at,
  option,
  onChange,
  onRemove,
}: {
  /** The path of the option. */
  readonly at: string;
  readonly option: OptionDraft;
  onChange(option: OptionDraft): void;
  readonly onRemove: (() => void) | undefined;
}) {
  const field = (name: "title" | "price" | "from" | "to") => ({
    value: option[name],
    onChange: ({ target }: { target: { value: string } }) =>
      onChange({ ...option, [name]: target.value }),
  });
  return (
    <div className="grid items-start gap-3 border-t border-line pt-3 sm:grid-cols-[2fr_1fr_1fr_1fr_1fr_auto]">
      <TextField
        label="Delivery option"
        name={`${at}.title`}
        placeholder="Standard"
        required
        maxLength={80}
        {...field("title")}
      />
      <TextField
        label="Price"
        name={`${at}.prices`}
        inputMode="decimal"
        placeholder="4.90"
        required
        {...field("price")}
      />
      <CurrencyField
        value={option.currency}
        onChoose={(currency) => {
          const { [currency]: _same, ...others } = option.others;
          onChange({ ...option, currency, others });
        }}
      />
      <TextField
        label="Delivery days, from"
        name={`${at}.days.0`}
        type="number"
        min={0}
        max={365}
        {...field("from")}
      />
      <TextField
        label="Delivery days, to"
        name={`${at}.days`}
        type="number"
        min={0}
        max={365}
        {...field("to")}
      />
      {onRemove !== undefined && (
        <Button className="self-start sm:mt-6" onClick={onRemove}>
          Remove
        </Button>
      )}
      <OtherPrices at={at} option={option} onChange={onChange} />
    </div>
  );
}

/** Delivery zones with their options and prices. */
export function ZonesForm({
  zones,
  currency,
  onChange,
}: {
  readonly zones: readonly ZoneDraft[];
  readonly currency: string;
  onChange(zones: readonly ZoneDraft[]): void;
}) {
  const taken = new Set(zones.flatMap(({ countries }) => countries));
  return (
    <div className="flex flex-col gap-4">
      {zones.map((zone, place) => (
        <fieldset key={zone.key} className="flex flex-col gap-3 rounded-lg border border-line p-3">
          <legend className="px-1 text-sm font-medium">Zone {place + 1}</legend>
          <Countries
            zone={zone}
            taken={taken}
            at={`shipping.${place}`}
            onChange={(countries) => onChange(replaced(zones, { ...zone, countries }))}
          />
          {zone.options.map((option, row) => (
            <Option
              key={option.key}
              at={`shipping.${place}.options.${row}`}
              option={option}
              onChange={(changed) => {
                const options = replaced(zone.options, changed);
                onChange(replaced(zones, { ...zone, options }));
              }}
              onRemove={
                zone.options.length === 1
                  ? undefined
                  : () => {
                      const options = without(zone.options, option);
                      onChange(replaced(zones, { ...zone, options }));
                    }
              }
            />
          ))}
          <div className="flex flex-wrap gap-2">
            <Button
              onClick={() => {
                const options = [...zone.options, newOption(currency)];
                onChange(replaced(zones, { ...zone, options }));
              }}
            >
              Add a delivery option
            </Button>
            <Button onClick={() => onChange(without(zones, zone))}>Remove zone</Button>
          </div>
        </fieldset>
      ))}
      <Button className="self-start" onClick={() => onChange([...zones, newZone(currency)])}>
        Add a zone
      </Button>
    </div>
  );
}
