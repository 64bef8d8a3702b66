import { useRef, useState } from "react";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Checkbox } from "../ui/field.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { countText } from "../ui/words.js";
import { type ImportReport, importFile } from "./import.js";

const EXAMPLE = `id,title,description,price,currency,image_url,url,availability,quantity
rose,A rose,Red and fresh,4.50,EUR,,https://shop.example/rose,in_stock,50`;

function Report({ report }: { readonly report: ImportReport }) {
  const { written, removed, refused, problems, total, stopped } = report;
  return (
    <div className="flex flex-col gap-2">
      <Notice bad={refused > 0}>
        {countText(written, "product")} written
        {removed > 0 && `, ${removed} removed`}
        {refused > 0 && `, ${countText(refused, "line")} refused`}. The site has{" "}
        {countText(total, "product")} now.
        {stopped && " Too many lines were refused, so the rest was not read."}
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

/** Takes a file of products, and shows how far it is. */
export function ImportCard() {
  const { path } = useSite();
  const [file, setFile] = useState<File | null>(null);
  const [replace, setReplace] = useState(false);
  const [share, setShare] = useState(0);
  const ending = useRef<AbortController | null>(null);
  const taking = useSave((chosen: File) => {
    setShare(0);
    ending.current = new AbortController();
    const { signal } = ending.current;
    return importFile(path, chosen, { replace, signal, onProgress: setShare });
  }, "products");
  const percent = Math.round(share * 100);
  return (
    <Card title="Import">
      <label className="flex flex-col gap-1 text-sm">
        <span className="font-medium">File (.csv or .jsonl, up to 64 MB)</span>
        <input
          type="file"
          accept=".csv,.jsonl,.ndjson"
          onChange={({ target }) => setFile(target.files?.[0] ?? null)}
          className="text-sm file:mr-3 file:rounded-lg file:border file:border-line file:bg-card file:px-3 file:py-1.5 file:text-ink"
        />
      </label>
      <Checkbox
        label="Remove products the file does not name"
        hint="Only if every line of it can be read."
        checked={replace}
        onChange={({ target }) => setReplace(target.checked)}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button
          kind="act"
          disabled={file === null || taking.isPending}
          onClick={() => file !== null && taking.mutate(file)}
        >
          Import
        </Button>
        {taking.isPending && (
          <>
            <progress aria-label="Import" value={percent} max={100} className="w-40 accent-act" />
            <span className="text-sm text-soft">
              {percent < 100 ? `${percent} % sent` : "Reading the last lines…"}
            </span>
            <Button onClick={() => ending.current?.abort()}>Stop</Button>
          </>
        )}
      </div>
      {taking.isError && <Failure error={taking.error} />}
      {taking.data !== undefined && <Report report={taking.data} />}
      <details className="text-sm">
        <summary className="text-soft">What such a file looks like</summary>
        <div className="mt-2">
          <Snippet label="example file" text={EXAMPLE} />
        </div>
      </details>
    </Card>
  );
}
