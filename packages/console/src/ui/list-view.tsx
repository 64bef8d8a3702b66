import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { type MouseEvent, type ReactNode, useState } from "react";
import { Button } from "./button.js";
import { Checkbox } from "./field.js";
import { LoadingRows } from "./loading.js";
import { Failure } from "./notice.js";
import { sortedBy, useTableChoice } from "./table-choice.js";

export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => ReactNode;
  /** Aligns numbers to the right. */
  readonly right?: boolean;
  /** Shown instead of the title, such as a button that sorts. */
  readonly header?: ReactNode;
  readonly sorted?: "ascending" | "descending" | undefined;
  /** What the rows are sorted by in this browser, once all of them are loaded. */
  readonly sortBy?: (item: Item) => string | number;
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

type TableChoice = ReturnType<typeof useTableChoice>;

/** The columns that somebody shows; the first one is always there. */
function ChooseColumns<Item>({
  columns,
  choice,
}: {
  readonly columns: readonly Column<Item>[];
  readonly choice: TableChoice;
}) {
  const [open, setOpen] = useState(false);
  const title = columns.find(({ narrow }) => narrow === undefined);
  const others = columns.filter((column) => column !== title && column.narrow !== "choice");
  if (others.length < 2) return null;
  return (
    <div className="flex flex-col items-end gap-2 text-sm max-sm:hidden">
      <button
        type="button"
        aria-expanded={open}
        className="text-soft hover:text-ink"
        onClick={() => setOpen(!open)}
      >
        Columns
      </button>
      {open && (
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          {others.map(({ head }) => (
            <Checkbox
              key={head}
              label={head}
              checked={!choice.hidden.includes(head)}
              onChange={() => choice.toggle(head)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

/** The head of a column. It sorts if all rows are there: otherwise only some would be sorted. */
function Head<Item>({
  column,
  choice,
  isWhole,
}: {
  readonly column: Column<Item>;
  readonly choice: TableChoice;
  readonly isWhole: boolean;
}) {
  const { head, header = head, right, sortBy } = column;
  const sort = sortBy !== undefined && isWhole ? choice.sort : null;
  const isDown = sort === `-${head}`;
  const own = sort === head ? "ascending" : isDown ? "descending" : undefined;
  return (
    <th scope="col" aria-sort={own ?? column.sorted} className={right ? "text-right" : undefined}>
      {sortBy === undefined || !isWhole ? (
        header
      ) : (
        <button
          type="button"
          className="font-medium hover:text-ink"
          onClick={() => choice.turn(head)}
        >
          {head}
          <span aria-hidden className="ml-1 inline-block w-2">
            {own && (isDown ? "↓" : "↑")}
          </span>
        </button>
      )}
    </th>
  );
}

/** The rows of a list, with a button for more. On a phone every row is two lines. */
export function ListView<Item>({ list, columns: all, keyOf, label, empty }: ListProps<Item>) {
  const { data, error, isError, isSuccess, hasNextPage, isFetchingNextPage } = list;
  const choice = useTableChoice(label);
  if (isError && data === undefined) return <Failure error={error} />;
  const narrowPlaceOf = narrowPlaces(all);
  const columns = all.filter(
    (column) => narrowPlaceOf(column) === "title" || !choice.hidden.includes(column.head),
  );
  if (!isSuccess) return <LoadingRows heads={columns.map(({ head }) => head)} />;
  // A search through many rows may find none at first, and has more to look through.
  if (data.length === 0 && !hasNextPage) return <>{empty}</>;
  const isWhole = !hasNextPage;
  const sortColumn = all.find(({ head }) => choice.sort === head || choice.sort === `-${head}`);
  const isDown = choice.sort?.startsWith("-") === true;
  const rows = isWhole ? sortedBy(data, sortColumn?.sortBy, isDown) : data;
  return (
    <div className="flex flex-col gap-3">
      <ChooseColumns columns={all} choice={choice} />
      <table aria-label={label} className="rows w-full text-sm">
        <thead>
          <tr className="text-left text-xs text-soft">
            {columns.map((column) => (
              <Head key={column.head} column={column} choice={choice} isWhole={isWhole} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((item) => (
            <tr key={keyOf(item)} onClick={openRow} className="hover:bg-line/20">
              {columns.map((column) => (
                <td
                  key={column.head}
                  data-head={column.head}
                  data-narrow={narrowPlaceOf(column)}
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
