import { useState } from "react";

/** What somebody chose for a table in this browser. */
interface Choice {
  /** The heads of columns that are not shown. */
  readonly hidden: readonly string[];
  /** The head of the column that the rows are sorted by, with a minus if the largest come first. */
  readonly sort: string | null;
}

const PREFIX = "gatehouse.table.";
const USUAL: Choice = { hidden: [], sort: null };

function storedChoice(key: string): Choice {
  try {
    const { hidden, sort } = JSON.parse(localStorage.getItem(key) ?? "{}");
    return { hidden: Array.isArray(hidden) ? hidden : [], sort: sort ?? null };
  } catch {
    return USUAL;
  }
}

/** The choice for a table, by its label. It is remembered in this browser. */
export function useTableChoice(label: string) {
  const key = PREFIX + label;
  const [choice, setChoice] = useState(() => storedChoice(key));
  function choose(part: Partial<Choice>) {
    const next = { ...choice, ...part };
    setChoice(next);
    localStorage.setItem(key, JSON.stringify(next));
  }
  const { hidden, sort } = choice;
  function toggle(head: string) {
    const isHidden = hidden.includes(head);
    choose({ hidden: isHidden ? hidden.filter((one) => one !== head) : [...hidden, head] });
  }
  /** Sorts by a column, then the other way round, then as the service does. */
  function turn(head: string) {
    choose({ sort: sort === head ? `-${head}` : sort === `-${head}` ? null : head });
  }
  return { hidden, sort, toggle, turn };
}

const compare = (a: string | number, b: string | number) =>
  typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), undefined, { numeric: true });

/** The rows in the order of a column; as they are without one. */
export function sortedBy<Item>(
  rows: readonly Item[],
  sortValue: ((item: Item) => string | number) | undefined,
  isDown: boolean,
): readonly Item[] {
  if (sortValue === undefined) return rows;
  const up = rows.toSorted((a, b) => compare(sortValue(a), sortValue(b)));
  return isDown ? up.toReversed() : up;
}
