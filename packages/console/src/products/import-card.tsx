import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { countText } from "../ui/words.js";
import { type ImportReport, sendProducts } from "./import.js";
import { Problems } from "./import-check.js";
import { type ChosenFile, ImportPreview } from "./import-preview.js";
import { type Line, type ReadFile, readJsonLines, readTable } from "./read-file.js";
import { UndoImport } from "./undo-import.js";
import { usualCurrencyQuery } from "./usual-currency.js";

const EXAMPLE = `sku;name;price;stock
rose;A red rose;4,50;50`;
const BYTES_MAX = 64 * 1024 * 1024;

function Report({ report }: { readonly report: ImportReport }) {
  const { written, removed, refused, problems, total, stopped } = report;
  return (
    <div className="flex flex-col gap-2">
      <Notice bad={refused > 0 && written === 0}>
        {countText(written, "product")} saved
        {removed > 0 && `, ${removed} removed`}
        {refused > 0 && `, ${countText(refused, "line")} refused`}. Your shop now has{" "}
        {countText(total, "product")}.
        {stopped && " The import stopped because too many lines were refused."}
      </Notice>
      {refused > 0 && <Problems problems={problems} count={refused} />}
    </div>
  );
}

async function read(file: File): Promise<ReadFile> {
  if (file.size > BYTES_MAX) throw new Error("The file is larger than 64 MB.");
  return /\.(?:jsonl|ndjson)$/i.test(file.name) ? readJsonLines(file) : readTable(file);
}

function useImport(path: string) {
  const [share, setShare] = useState(0);
  const client = useQueryClient();
  const ending = useRef<AbortController | null>(null);
  const taking = useSave(
    ({ lines, replace }: { readonly lines: readonly Line[]; readonly replace: boolean }) => {
      setShare(0);
      ending.current = new AbortController();
      const { signal } = ending.current;
      const sending = sendProducts(path, lines, { replace, signal, onProgress: setShare });
      // A part is saved, which can be undone.
      sending.catch(() => client.invalidateQueries({ queryKey: ["products"] }));
      return sending;
    },
    "products",
    "processor",
  );
  return { share, taking, stop: () => ending.current?.abort() };
}

function Uploading({ share, onStop }: { readonly share: number; onStop(): void }) {
  const percent = Math.round(share * 100);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <progress aria-label="Import" value={percent} max={100} className="w-40 accent-act" />
      <span className="text-sm text-soft">
        {percent < 100 ? `${percent}% uploaded` : "Processing the last lines…"}
      </span>
      <Button onClick={onStop}>Stop</Button>
    </div>
  );
}

/** Imports a file of products: shows the changes, saves them and can undo them. */
export function ImportCard({
  chosen,
  onChoose: setChosen,
}: {
  /** The file whose changes are shown. */
  readonly chosen: ChosenFile | undefined;
  onChoose(file: ChosenFile | undefined): void;
}) {
  const { path } = useSite();
  const { share, taking, stop } = useImport(path);
  const currency = useQuery(usualCurrencyQuery(path));
  const reading = useSave(async (file: File) => {
    const content = await read(file);
    setChosen({ ...content, number: Date.now() });
  });
  return (
    <Card title="Import">
      <label id="import" className="flex flex-col gap-1 text-sm">
        <span className="font-medium">File (.csv or .jsonl, up to 64 MB)</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,.jsonl,.ndjson"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            taking.reset();
            if (file !== undefined) reading.mutate(file);
          }}
          className="text-sm file:mr-3 file:rounded-lg file:border file:border-line file:bg-card file:px-3 file:py-1.5 file:text-ink"
        />
      </label>
      {reading.isPending && <Notice>Reading the file…</Notice>}
      {reading.isError && <Failure error={reading.error} />}
      {chosen !== undefined && currency.isSuccess && (
        <ImportPreview
          key={chosen.number}
          file={chosen}
          usualCurrency={currency.data}
          busy={taking.isPending}
          onCancel={() => setChosen(undefined)}
          onImport={(lines, replace) =>
            taking.mutate({ lines, replace }, { onSuccess: () => setChosen(undefined) })
          }
        />
      )}
      {taking.isPending && <Uploading share={share} onStop={stop} />}
      {taking.isError && <Failure error={taking.error} />}
      {taking.data !== undefined && <Report report={taking.data} />}
      <UndoImport onUndone={taking.reset} />
      <details className="text-sm">
        <summary className="text-soft">Example file</summary>
        <div className="mt-2">
          <Snippet label="example file" text={EXAMPLE} />
        </div>
      </details>
    </Card>
  );
}
