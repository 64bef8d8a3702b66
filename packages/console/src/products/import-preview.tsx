import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { CurrencyField } from "../ui/currency-field.js";
import { Checkbox, Select } from "../ui/field.js";
import { Fold } from "../ui/fold.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { countText } from "../ui/words.js";
import { checkProducts } from "./import.js";
import { CheckResult } from "./import-check.js";
import { FIELD_NAMES } from "./import-text.js";
import {
  FIELDS,
  type Field,
  guessMapping,
  type Line,
  linesOf,
  type Mapping,
  type ReadFile,
} from "./read-file.js";

/** The fields that most files have. The others are folded. */
const USUAL = FIELDS.indexOf("sale_price");
/** What a new product needs. A product that exists can keep them, unless the file replaces all products. */
const KEPT: readonly Field[] = ["title", "price"];

function MappingForm({
  columns,
  mapping,
  replace,
  onChange,
}: {
  readonly columns: readonly string[];
  readonly mapping: Mapping;
  readonly replace: boolean;
  onChange(mapping: Mapping): void;
}) {
  const choices = {
    "": "Not in the file",
    ...Object.fromEntries(columns.map((one) => [one, one])),
  };
  const used = Object.values(mapping);
  const unused = columns.filter((one) => !used.includes(one));
  const column = (field: Field) => (
    <Select
      key={field}
      label={FIELD_NAMES[field]}
      value={mapping[field] ?? ""}
      choices={choices}
      error={field === "id" && mapping.id === undefined ? "Choose a column." : undefined}
      hint={
        !replace && KEPT.includes(field) && mapping[field] === undefined
          ? `Your existing products keep their ${FIELD_NAMES[field].toLowerCase()}.`
          : undefined
      }
      onChoose={(name) => {
        const { [field]: _before, ...others } = mapping;
        onChange(name === "" ? others : { ...others, [field]: name });
      }}
    />
  );
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">Match the columns</legend>
      <div className="grid gap-3 sm:grid-cols-3">{FIELDS.slice(0, USUAL).map(column)}</div>
      <Fold label="More columns">
        <div className="grid gap-3 sm:grid-cols-3">{FIELDS.slice(USUAL).map(column)}</div>
      </Fold>
      {unused.length > 0 && <p className="text-sm text-soft">Not imported: {unused.join(", ")}.</p>}
    </fieldset>
  );
}

/** A file that somebody chose, numbered because another one can have the same columns. */
export interface ChosenFile extends ReadFile {
  readonly number: number;
}

/** The chosen file, as the service would import it. It judges the lines with the code that imports them. */
function useCheck(file: ChosenFile, mapping: Mapping, currency: string, replace: boolean) {
  const { path } = useSite();
  const isMapped = mapping.id !== undefined;
  const lines = isMapped ? linesOf(file, mapping, currency) : [];
  const check = useQuery({
    queryKey: ["import-check", path, file.number, mapping, currency, replace],
    queryFn: ({ signal }) => checkProducts(path, lines, { replace, signal }),
    enabled: isMapped,
    gcTime: 0,
  });
  return { isMapped, lines, check };
}

/** Shows what a file would change before anything is saved. */
export function ImportPreview({
  file,
  usualCurrency,
  busy,
  onImport,
  onCancel,
}: {
  readonly file: ChosenFile;
  readonly usualCurrency: string;
  readonly busy: boolean;
  onImport(lines: readonly Line[], replace: boolean): void;
  onCancel(): void;
}) {
  const [mapping, setMapping] = useState(() => guessMapping(file.columns));
  const [currency, setCurrency] = useState(usualCurrency);
  const [replace, setReplace] = useState(false);
  const { isMapped, lines, check } = useCheck(file, mapping, currency, replace);
  const { added = 0, changed = 0, unchanged = 0 } = check.data ?? {};
  const valid = added + changed + unchanged;
  return (
    <div className="flex flex-col gap-4">
      <MappingForm
        columns={file.columns}
        mapping={mapping}
        replace={replace}
        onChange={setMapping}
      />
      {mapping.price !== undefined && mapping.currency === undefined && (
        <div className="max-w-60">
          <CurrencyField
            label="Currency of the prices"
            hint="For prices that do not name one."
            value={currency}
            onChoose={setCurrency}
          />
        </div>
      )}
      <Checkbox
        label="Remove products that are not in the file"
        hint="Products are removed only if every line of the file is valid."
        checked={replace}
        onChange={({ target }) => setReplace(target.checked)}
      />
      {isMapped && check.isPending && <Loading />}
      {check.isError && <Failure error={check.error} />}
      {check.isSuccess && <CheckResult check={check.data} replace={replace} />}
      {check.isSuccess && valid === 0 && <Notice bad>No line of the file can be imported.</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button
          kind="act"
          disabled={busy || !check.isSuccess || valid === 0}
          onClick={() => onImport(lines, replace)}
        >
          {check.isSuccess ? `Import ${countText(valid, "product")}` : "Import"}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  );
}
