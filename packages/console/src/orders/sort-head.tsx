import { useSearch } from "@tanstack/react-router";
import { useSetFilter } from "../ui/filter.js";
import type { Column } from "../ui/list-view.js";

const NEWEST_FIRST = "-created_at";

/** Makes the head of a column a button that sorts: the largest first, then the smallest. */
export function useSortHead(): (
  head: string,
  field: "amount" | "created_at",
) => Pick<Column<unknown>, "head" | "header" | "sorted"> {
  const { sort = NEWEST_FIRST } = useSearch({ from: "/shell/$site/orders" });
  const set = useSetFilter();
  return (head, field) => {
    const isDown = sort === `-${field}`;
    const isUp = sort === field;
    const next = isDown ? field : `-${field}`;
    return {
      head,
      sorted: isDown ? "descending" : isUp ? "ascending" : undefined,
      header: (
        <button
          type="button"
          className="font-medium hover:text-ink"
          onClick={() => set("sort", next === NEWEST_FIRST ? undefined : next)}
        >
          {head}
          <span aria-hidden className="ml-1 inline-block w-2">
            {isDown ? "↓" : isUp ? "↑" : ""}
          </span>
        </button>
      ),
    };
  };
}
