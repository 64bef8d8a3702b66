import type { Result } from "@gatehouse/protocol";
import type { Page } from "../../actions/page.js";
import { Problem } from "../server/problem.js";
import { refused } from "./schemas.js";

/** The body of a page, in the form that every list of the admin API has. */
export function pageBody<Item, Body>(
  page: Result<Page<Item>, "invalid_request">,
  render: (item: Item) => Body,
): { items: Body[]; next_cursor: string | undefined } {
  if (!page.ok) return refused(page);
  return { items: page.value.items.map(render), next_cursor: page.value.nextCursor };
}

/** The number that a page of numbered items begins before; null for the newest page. */
export function readPlace(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new Problem("invalid_request", { message: "The cursor is not one this list gave out." });
}
