import { fromBase64url, ok, type Result, refuse, toBase64url, utf8 } from "@gatehouse/protocol";

/** A place in a list ordered by creation; opaque to clients. */
export interface Cursor {
  readonly createdAt: number;
  readonly id: string;
}

export const PAGE_ITEMS_MAX = 200;
export const PAGE_ITEMS = 50;

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

export function readCursor(text: string | undefined): Result<Cursor | null, "invalid_request"> {
  if (text === undefined) return ok(null);
  const bytes = fromBase64url(text);
  const match = /^(\d{1,15})\n([\w.:/-]{1,253})$/.exec(new TextDecoder().decode(bytes));
  if (bytes === undefined || match === null) {
    return refuse("invalid_request", "The cursor is not one this list gave out.");
  }
  return ok({ createdAt: Number(match[1]), id: match[2] as string });
}

/** Cuts a list read with one item more than asked for, which tells whether there is a next page. */
export function pageOf<T>(rows: readonly T[], limit: number, cursor: (row: T) => Cursor): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return { items, nextCursor: undefined };
  const { createdAt, id } = cursor(last);
  return { items, nextCursor: toBase64url(utf8(`${createdAt}\n${id}`)) };
}
