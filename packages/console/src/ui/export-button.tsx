import { useState } from "react";
import { allOf, EXPORT_ROWS_MAX, type Filter } from "../api/list.js";
import { useZone } from "../layout/zone.js";
import { Button } from "./button.js";
import { type Row, readableRows } from "./csv-rows.js";
import { Failure } from "./notice.js";
import { csvText, saveFile } from "./save-file.js";

interface Props<Item> {
  readonly path: string;
  /** The filter of the list. */
  readonly filter: Filter;
  readonly name: string;
  /** The members of an item that become columns, by the names of the API. Absent: all. */
  readonly columns?: readonly string[];
  /** Keeps the names of the API as titles, for a file that is read again. */
  readonly raw?: boolean;
  /** What becomes a row. Absent: the item as it is. */
  readonly rowOf?: (item: Item) => Row;
}

/** Exports all rows that match the filter, not only those that are shown. */
export function ExportButton<Item extends object>(props: Props<Item>) {
  const { path, filter, name, columns, raw, rowOf } = props;
  const zone = useZone();
  const [state, setState] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  async function go() {
    setError(null);
    setState("Exporting…");
    try {
      const progress = (count: number) => setState(`${count.toLocaleString()} rows…`);
      const { rows, cut } = await allOf<Item>(path, filter, progress);
      const items = rows.map((item) => rowOf?.(item) ?? (item as Row));
      const lines = readableRows(items, { zone, columns, raw });
      saveFile(`${name}.csv`, "text/csv;charset=utf-8", csvText(lines));
      setState(
        cut
          ? `Only the first ${EXPORT_ROWS_MAX.toLocaleString()} rows. Use a filter to export the rest.`
          : null,
      );
    } catch (caught) {
      setError(caught);
      setState(null);
    }
  }
  const running = state?.endsWith("…") === true;
  return (
    <span className="flex items-center gap-2 text-sm">
      <Button disabled={running} onClick={() => void go()}>
        Export CSV
      </Button>
      <span role="status" className="text-soft">
        {state}
      </span>
      {error !== null && <Failure error={error} />}
    </span>
  );
}
