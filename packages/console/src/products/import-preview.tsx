import { useState } from "react";
import type { Api } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Checkbox, Select, TextField } from "../ui/field.js";
import { Notice } from "../ui/notice.js";
import { countText } from "../ui/words.js";
import { compare, type Difference } from "./compare.js";
import {
  FIELDS,
  type Field,
  guessMapping,
  type Line,
  linesOf,
  type Mapping,
  type ReadFile,
} from "./read-file.js";
import { usualCurrency } from "./usual-currency.js";

type Product = Api["Product"];

const LABELS: Readonly<Record<Field, string>> = {
  id: "Product number",
  title: "Name",
  price: "Price",
  currency: "Currency",
  quantity: "Stock",
  description: "Description",
  image_url: "Picture",
  url: "Page in your shop",
  availability: "Availability",
};
const NEEDED: readonly Field[] = ["id", "title", "price"];
const SHOWN_MAX = 8;

function MappingForm({
  columns,
  mapping,
  onChange,
}: {
  readonly columns: readonly string[];
  readonly mapping: Mapping;
  onChange(mapping: Mapping): void;
}) {
  const choices = {
    "": "Not in the file",
    ...Object.fromEntries(columns.map((one) => [one, one])),
  };
  return (
    <fieldset className="grid gap-3 sm:grid-cols-3">
      <legend className="mb-2 text-sm font-medium">Match the columns</legend>
      {FIELDS.map((field) => (
        <Select
          key={field}
          label={LABELS[field]}
          value={mapping[field] ?? ""}
          choices={choices}
          onChoose={(column) => {
            const { [field]: _before, ...others } = mapping;
            onChange(column === "" ? others : { ...others, [field]: column });
          }}
        />
      ))}
    </fieldset>
  );
}

function Summary({ difference }: { readonly difference: Difference }) {
  const { added, changed, same } = difference;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p>
        <strong className="font-medium">
          {added.length} new, {changed.length} changed, {same} unchanged.
        </strong>
      </p>
      <ul className="flex flex-col gap-1">
        {added.slice(0, SHOWN_MAX).map((line) => (
          <li key={String(line.id)}>
            New: {line.title}, {line.price} {line.currency}
            {line.quantity !== undefined && `, stock ${line.quantity}`}
          </li>
        ))}
        {changed.slice(0, SHOWN_MAX).map(({ line, what }) => (
          <li key={String(line.id)}>
            {line.title}: {what}
          </li>
        ))}
      </ul>
      {added.length + changed.length > 2 * SHOWN_MAX && <p className="text-soft">… and more.</p>}
    </div>
  );
}

/** Shows what a file would change before anything is saved. */
export function ImportPreview({
  file,
  products,
  busy,
  onImport,
  onCancel,
}: {
  readonly file: ReadFile;
  readonly products: readonly Product[];
  readonly busy: boolean;
  onImport(lines: readonly Line[], difference: Difference, replace: boolean): void;
  onCancel(): void;
}) {
  const [mapping, setMapping] = useState(() => guessMapping(file.columns));
  const [currency, setCurrency] = useState(() => usualCurrency(products));
  const [replace, setReplace] = useState(false);
  const missing = NEEDED.filter((field) => mapping[field] === undefined);
  const lines = linesOf(file, mapping, currency);
  const difference = compare(lines, products);
  return (
    <div className="flex flex-col gap-4">
      <MappingForm columns={file.columns} mapping={mapping} onChange={setMapping} />
      {mapping.currency === undefined && (
        <div className="max-w-40">
          <TextField
            label="Currency of the prices"
            maxLength={3}
            required
            value={currency}
            onChange={({ target }) => setCurrency(target.value.toUpperCase())}
          />
        </div>
      )}
      {missing.length > 0 ? (
        <Notice bad>
          Choose the column for {missing.map((field) => LABELS[field].toLowerCase()).join(", ")}.
        </Notice>
      ) : (
        <Summary difference={difference} />
      )}
      <Checkbox
        label="Remove products that are not in the file"
        hint="Products are removed only if every line of the file is valid."
        checked={replace}
        onChange={({ target }) => setReplace(target.checked)}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          kind="act"
          disabled={busy || missing.length > 0 || lines.length === 0}
          onClick={() => onImport(lines, difference, replace)}
        >
          Import {countText(lines.length, "product")}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  );
}
