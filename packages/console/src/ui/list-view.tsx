import { formatAmount } from "@gatehouse/protocol";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { type MouseEvent, type ReactNode, useState } from "react";
import { allOf, EXPORT_ROWS_MAX, type Filter } from "../api/list.js";
import { Button } from "./button.js";
import { Loading } from "./loading.js";
import { Failure } from "./notice.js";
import { csvText, saveFile } from "./save-file.js";

export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => ReactNode;
  /** Aligns numbers to the right. */
  readonly right?: boolean;
  /** Shown instead of the title, such as a button that sorts. */
  readonly header?: ReactNode;
  readonly sorted?: "ascending" | "descending" | undefined;
  /**
   * Its place in the two lines of a row on a phone: after the title, at the right of it, or on the left or right below.
   * The first column without one is the title. Others without one are below, with their heads.
   */
  readonly narrow?: "choice" | "name" | "side" | "state" | "time" | "hidden";
}

/** What opens itself when it is clicked. */
const CLICKABLE = "a, button, input, label, select, summary, [role=option]";

/** A click anywhere in a row opens the link in it. */
function openRow({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  const marked = window.getSelection()?.toString() ?? "";
  if ((target as Element).closest(CLICKABLE) !== null || marked !== "") return;
  currentTarget.querySelector<HTMLAnchorElement>("a[href]")?.click();
}

function narrowPlaces<Item>(columns: readonly Column<Item>[]) {
  const title = columns.find(({ narrow }) => narrow === undefined);
  return (column: Column<Item>) => (column === title ? "title" : column.narrow);
}

interface ListProps<Item> {
  readonly list: UseInfiniteQueryResult<Item[]>;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  /** The name of the list for screen readers. */
  readonly label: string;
  /** Shown if the list is empty. */
  readonly empty: ReactNode;
}

/** The rows of a list, with a button for more. On a phone every row is two lines. */
export function ListView<Item>({ list, columns, keyOf, label, empty }: ListProps<Item>) {
  const { data, error, isError, isSuccess, hasNextPage, isFetchingNextPage } = list;
  if (isError && data === undefined) return <Failure error={error} />;
  if (!isSuccess) return <Loading />;
  // A search through many rows may find none at first, and has more to look through.
  if (data.length === 0 && !hasNextPage) return <>{empty}</>;
  const placeOf = narrowPlaces(columns);
  return (
    <div className="flex flex-col gap-3">
      <table aria-label={label} className="rows w-full text-sm">
        <thead>
          <tr className="text-left text-xs text-soft">
            {columns.map(({ head, header = head, right, sorted }) => (
              <th
                key={head}
                scope="col"
                aria-sort={sorted}
                className={right ? "text-right" : undefined}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.map((item) => (
            <tr key={keyOf(item)} onClick={openRow} className="hover:bg-line/20">
              {columns.map((column) => (
                <td
                  key={column.head}
                  data-head={column.head}
                  data-narrow={placeOf(column)}
                  className={column.right ? "sm:text-right" : undefined}
                >
                  <div className="min-w-0">{column.cell(item)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {isError && <Failure error={error} />}
      {hasNextPage && (
        <div>
          <Button disabled={isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {isFetchingNextPage ? "Loading…" : "Show more"}
          </Button>
        </div>
      )}
    </div>
  );
}

interface ExportProps {
  readonly path: string;
  /** The filter of the list. */
  readonly filter: Filter;
  readonly name: string;
  /** Absent: all columns. */
  readonly columns?: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A row for a spreadsheet. Money becomes two columns, amount and currency. */
function flatRow(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const { minor, currency } = (value ?? {}) as { minor?: unknown; currency?: unknown };
      if (typeof minor !== "number" || typeof currency !== "string") return [[name, value]];
      const code = name === "amount" || name === "price" ? "currency" : `${name}_currency`;
      return [
        [name, formatAmount({ minor, currency })],
        [code, currency],
      ];
    }),
  );
}

/** Exports all rows that match the filter, not only those that are shown. */
export function ExportButton({ path, filter, name, columns }: ExportProps) {
  const [state, setState] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  async function go() {
    setError(null);
    setState("Exporting…");
    try {
      const said = (count: number) => setState(`${count.toLocaleString()} rows…`);
      const { rows, cut } = await allOf<Row>(path, filter, said);
      const flat = rows.map(flatRow);
      const heads = columns ?? [...new Set(flat.flatMap((row) => Object.keys(row)))];
      const lines = flat.map((row) => heads.map((head) => cellText(row[head])));
      saveFile(`${name}.csv`, "text/csv;charset=utf-8", csvText([heads, ...lines]));
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
