import { type InfiniteData, keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { call, type Page } from "./client.js";

/** Rows per request. */
const PAGE_ROWS = 50;

/** The filter of a list. Absent and empty values are ignored. */
export type Filter = Readonly<Record<string, string | undefined>>;

export function queryText(filter: Filter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(given as [string, string][]).toString();
}

/** A page of a list. A search has its filter in the body, because URLs are logged. */
function pageOf<Item>(path: string, filter: Filter): Promise<Page<Item>> {
  if (!path.endsWith("/search")) return call("GET", `${path}?${queryText(filter)}`);
  return call("POST", path, { ...filter, limit: Number(filter.limit) });
}

const siteOf = (path: string) => path.split("/")[4];

/** A list, page by page. Changes with this topic load it again. */
export function useList<Item>(topic: string, path: string, filter: Filter, refreshMs?: number) {
  return useInfiniteQuery({
    queryKey: [topic, siteOf(path), path, filter],
    queryFn: ({ pageParam }) => {
      const params = { ...filter, limit: String(PAGE_ROWS), cursor: pageParam };
      return pageOf<Item>(path, params);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }: InfiniteData<Page<Item>>) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs ?? false,
  });
}

/** The most rows of an exported file. */
export const EXPORT_ROWS_MAX = 100_000;
const EXPORT_PAGE_ROWS = 200;

/** Every row of a list up to a maximum. `onRows` gets the progress. */
export async function allOf<Item>(
  path: string,
  filter: Filter,
  onRows: (count: number) => void,
): Promise<{ readonly rows: readonly Item[]; readonly cut: boolean }> {
  const rows: Item[] = [];
  let cursor: string | undefined;
  do {
    const params = { ...filter, limit: String(EXPORT_PAGE_ROWS), cursor };
    const page = await pageOf<Item>(path, params);
    rows.push(...page.items);
    cursor = page.next_cursor;
    onRows(rows.length);
  } while (cursor !== undefined && rows.length < EXPORT_ROWS_MAX);
  return { rows: rows.slice(0, EXPORT_ROWS_MAX), cut: cursor !== undefined };
}
