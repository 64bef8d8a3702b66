import { pageOf, readCursor } from "../../actions/page.js";
import { Problem } from "../server/problem.js";
import { refused } from "./schemas.js";

/** Where a page begins; lists are read one item further than shown, to know whether there is more. */
interface Page {
  readonly after: { readonly createdAt: number; readonly id: string } | null;
  readonly limit: number;
}

/** A page of a list as every list of the admin interface answers it. */
export async function answerPage<Item, Body>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  list: (page: Page) => Promise<readonly Item[]>,
  placeOf: (item: Item) => { readonly createdAt: number; readonly id: string },
  render: (item: Item) => Body,
): Promise<{ items: Body[]; next_cursor: string | undefined }> {
  const after = readCursor(cursor);
  if (!after.ok) return refused(after);
  const found = await list({ after: after.value, limit: limit + 1 });
  const cut = pageOf(found, limit, placeOf);
  return { items: cut.items.map(render), next_cursor: cut.nextCursor };
}

/** Where a page of what is numbered begins; null for the newest. */
export function readPlace(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new Problem("invalid_request", { message: "The cursor is not one this list gave out." });
}
