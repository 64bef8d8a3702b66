import { Button } from "../ui/button.js";
import { Select, TextField } from "../ui/field.js";
import { COUNTRIES } from "./countries.js";
import { newKey, type Shop } from "./draft.js";

type Tax = NonNullable<Shop["taxes"]>[number];
/** A tax as typed, with a key for the list. */
export type TaxDraft = Tax & { readonly key: string };

export function taxDrafts(taxes: readonly Tax[]): readonly TaxDraft[] {
  return taxes.map((tax, place) => ({ ...tax, key: String(place) }));
}

export function taxesOf(drafts: readonly TaxDraft[]): Tax[] {
  return drafts.map(({ key: _key, region, country, percent }) => {
    const rate = { country, percent: percent.trim().replace(",", ".") };
    return region === undefined || region === "" ? rate : { ...rate, region };
  });
}

/** Taxes that are added to prices, by country and region. */
export function TaxesForm({
  taxes,
  onChange,
}: {
  readonly taxes: readonly TaxDraft[];
  onChange(taxes: readonly TaxDraft[]): void;
}) {
  const set = (tax: TaxDraft) => onChange(taxes.map((one) => (one.key === tax.key ? tax : one)));
  return (
    <div className="flex flex-col gap-3">
      {taxes.map((tax, place) => (
        <div key={tax.key} className="grid items-start gap-3 sm:grid-cols-[2fr_2fr_1fr_auto]">
          <Select
            label="Country"
            name={`taxes.${place}.country`}
            required
            value={tax.country}
            choices={{ "": "Choose…", ...COUNTRIES }}
            onChoose={(country) => set({ ...tax, country })}
          />
          <TextField
            label="Region"
            name={`taxes.${place}.region`}
            placeholder="All regions"
            value={tax.region ?? ""}
            onChange={({ target }) => set({ ...tax, region: target.value })}
          />
          <TextField
            label="Percent"
            name={`taxes.${place}.percent`}
            inputMode="decimal"
            required
            value={tax.percent}
            onChange={({ target }) => set({ ...tax, percent: target.value })}
          />
          <Button
            className="self-start sm:mt-6"
            aria-label={`Remove tax ${place + 1}`}
            onClick={() => onChange(taxes.filter(({ key }) => key !== tax.key))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button
        className="self-start"
        onClick={() => onChange([...taxes, { key: newKey(), country: "", percent: "" }])}
      >
        Add a tax
      </Button>
    </div>
  );
}
