import { fromBase64url, ok, type Result, refuse, toBase64url, utf8 } from "@gatehouse/protocol";

export const PAGE_ITEMS_MAX = 200;
export const PAGE_ITEMS = 50;

/** A place in a list ordered by creation; opaque to clients. */
interface Cursor {
  readonly createdAt: number;
  readonly id: string;
}

/** The page of a list that a caller asks for. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Absent on the last page. */
  readonly nextCursor: string | undefined;
}

function readCursor(text: string | undefined): Result<Cursor | null, "invalid_request"> {
  if (text === undefined) return ok(null);
  const bytes = fromBase64url(text);
  const match = /^(\d{1,15})\n([\w.:/-]{1,253})$/.exec(new TextDecoder().decode(bytes));
  if (bytes === undefined || match === null) {
    return refuse("invalid_request", "The cursor does not belong to this list.");
  }
  return ok({ createdAt: Number(match[1]), id: match[2] as string });
}

/** Reads one item more than the page shows, to know whether there is a next page. */
export async function readPage<T>(
  { limit, cursor }: PageRequest,
  list: (page: { readonly after: Cursor | null; readonly limit: number }) => Promise<readonly T[]>,
  cursorOf: (item: T) => Cursor,
): Promise<Result<Page<T>, "invalid_request">> {
  const after = readCursor(cursor);
  if (!after.ok) return after;
  const rows = await list({ after: after.value, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return ok({ items, nextCursor: undefined });
  const { createdAt, id } = cursorOf(last);
  return ok({ items, nextCursor: toBase64url(utf8(`${createdAt}\n${id}`)) });
}
