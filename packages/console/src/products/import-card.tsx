import { useRef, useState } from "react";
import { type Api, call } from "../api/client.js";
import { allOf } from "../api/list.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { countText } from "../ui/words.js";
import { type Difference, lineOf } from "./compare.js";
import { bodyOf, type ImportReport, sendProducts } from "./import.js";
import { ImportPreview } from "./import-preview.js";
import { type Line, type ReadFile, readTable } from "./read-file.js";

type Product = Api["Product"];

const EXAMPLE = `sku;name;price;stock
rose;A red rose;4,50;50`;
const BYTES_MAX = 64 * 1024 * 1024;

function Report({ report }: { readonly report: ImportReport }) {
  const { written, removed, refused, problems, total, stopped } = report;
  return (
    <div className="flex flex-col gap-2">
      <Notice bad={refused > 0}>
        {countText(written, "product")} saved
        {removed > 0 && `, ${removed} removed`}
        {refused > 0 && `, ${countText(refused, "line")} refused`}. Your shop now has{" "}
        {countText(total, "product")}.
        {stopped && " The import stopped because too many lines were refused."}
      </Notice>
      {problems.length > 0 && (
        <ul className="max-h-60 overflow-auto text-sm">
          {problems.map(({ line, problem }) => (
            <li key={line}>
              Line {line}: {problem}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The chosen file and the existing products. */
interface Chosen {
  readonly file: ReadFile;
  readonly products: readonly Product[];
}

/** Files with JSON lines already use the field names of the API. */
async function read(file: File): Promise<ReadFile> {
  if (file.size > BYTES_MAX) throw new Error("The file is larger than 64 MB.");
  if (!/\.(?:jsonl|ndjson)$/i.test(file.name)) return readTable(file);
  const lines = (await file.text()).split("\n").filter((line) => line.trim() !== "");
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const texts = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? "")])),
  );
  return { columns, rows: texts };
}

/** What an import changed, so that it can be undone while the page is open. */
interface Undo {
  readonly lines: readonly Line[];
  readonly added: readonly string[];
}

function useImport(path: string) {
  const [share, setShare] = useState(0);
  const [undo, setUndo] = useState<Undo | null>(null);
  const ending = useRef<AbortController | null>(null);
  const send = (lines: readonly Line[], replace: boolean) => {
    setShare(0);
    ending.current = new AbortController();
    const { signal } = ending.current;
    return sendProducts(path, bodyOf(lines), { replace, signal, onProgress: setShare });
  };
  const taking = useSave(
    async ({ lines, difference, replace, before }: TakenFile) => {
      const report = await send(lines, replace);
      const named = new Set(lines.map(({ id }) => String(id)));
      const gone = replace ? before.filter(({ id }) => !named.has(id)) : [];
      const changed = difference.changed.map((one) => one.before);
      setUndo({
        lines: [...changed, ...gone].map(lineOf),
        added: difference.added.map(({ id }) => String(id)),
      });
      return report;
    },
    "products",
    "processor",
  );
  const undoing = useSave(
    async () => {
      if (undo === null) return;
      if (undo.lines.length > 0) await send(undo.lines, false);
      for (const id of undo.added) {
        await call("DELETE", `${path}/products?id=${encodeURIComponent(id)}`).catch(
          () => undefined,
        );
      }
      setUndo(null);
      taking.reset();
    },
    "products",
    "processor",
  );
  return { share, undo, taking, undoing, stop: () => ending.current?.abort() };
}

interface TakenFile {
  readonly lines: readonly Line[];
  readonly difference: Difference;
  readonly replace: boolean;
  readonly before: readonly Product[];
}

/** Imports a file of products: shows the changes, saves them and can undo them. */
export function ImportCard() {
  const { path } = useSite();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const { share, undo, taking, undoing, stop } = useImport(path);
  const reading = useSave(async (file: File) => {
    const { rows } = await allOf<Product>(`${path}/products`, {}, () => undefined);
    setChosen({ file: await read(file), products: rows });
  });
  const percent = Math.round(share * 100);
  return (
    <Card title="Import">
      <label className="flex flex-col gap-1 text-sm">
        <span className="font-medium">File (.csv or .jsonl, up to 64 MB)</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,.jsonl,.ndjson"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            taking.reset();
            undoing.reset();
            if (file !== undefined) reading.mutate(file);
          }}
          className="text-sm file:mr-3 file:rounded-lg file:border file:border-line file:bg-card file:px-3 file:py-1.5 file:text-ink"
        />
      </label>
      {reading.isPending && <Notice>Reading the file…</Notice>}
      {reading.isError && <Failure error={reading.error} />}
      {chosen !== null && (
        <ImportPreview
          key={chosen.file.columns.join()}
          {...chosen}
          busy={taking.isPending}
          onCancel={() => setChosen(null)}
          onImport={(lines, difference, replace) => {
            const { products: before } = chosen;
            taking.mutate(
              { lines, difference, replace, before },
              { onSuccess: () => setChosen(null) },
            );
          }}
        />
      )}
      {taking.isPending && (
        <div className="flex flex-wrap items-center gap-3">
          <progress aria-label="Import" value={percent} max={100} className="w-40 accent-act" />
          <span className="text-sm text-soft">
            {percent < 100 ? `${percent}% uploaded` : "Processing the last lines…"}
          </span>
          <Button onClick={stop}>Stop</Button>
        </div>
      )}
      {taking.isError && <Failure error={taking.error} />}
      {taking.data !== undefined && <Report report={taking.data} />}
      {undo !== null && (
        <div>
          <Button disabled={undoing.isPending} onClick={() => undoing.mutate()}>
            Undo this import
          </Button>
        </div>
      )}
      {undoing.isSuccess && <Notice>The import was undone.</Notice>}
      {undoing.isError && <Failure error={undoing.error} />}
      <details className="text-sm">
        <summary className="text-soft">Example file</summary>
        <div className="mt-2">
          <Snippet label="example file" text={EXAMPLE} />
        </div>
      </details>
    </Card>
  );
}
