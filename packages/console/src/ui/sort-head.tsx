import { useSetFilter } from "./filter.js";
import type { Column } from "./list-view.js";

/**
 * Makes the head of a column a button that sorts. `sort` is the field that the list is sorted by, with a minus if the
 * largest or newest come first; `usual` is what it is without one in the address.
 */
export function useSortHead<Field extends string>(
  sort: string | undefined,
  usual: string,
): (
  head: string,
  field: Field,
  first?: "ascending" | "descending",
) => Pick<Column<unknown>, "head" | "header" | "sorted"> {
  const set = useSetFilter();
  const current = sort ?? usual;
  return (head, field, first = "descending") => {
    const isDown = current === `-${field}`;
    const isUp = current === field;
    const goesDown = isUp || (!isDown && first === "descending");
    const next = goesDown ? `-${field}` : field;
    return {
      head,
      sorted: isDown ? "descending" : isUp ? "ascending" : undefined,
      header: (
        <button
          type="button"
          className="font-medium hover:text-ink"
          onClick={() => set("sort", next === usual ? undefined : next)}
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
