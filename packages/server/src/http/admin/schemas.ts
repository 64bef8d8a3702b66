import type { ReasonCode, Refusal, Result } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";
import { PAGE_ITEMS, PAGE_ITEMS_MAX, type Page } from "../../actions/page.js";
import { Problem } from "../server/problem.js";
import { SiteKeyHash, Timestamp } from "../server/schemas.js";
import { line } from "./fields.js";

export const SiteParams = z.object({
  site_key_hash: SiteKeyHash.openapi({ param: { name: "site_key_hash", in: "path" } }),
});

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(PAGE_ITEMS_MAX).default(PAGE_ITEMS),
  cursor: z.string().max(256).optional(),
});

/** Limits a list to what happened between two moments. */
export const SpanQuery = z.object({
  from: Timestamp.optional(),
  to: Timestamp.optional().openapi({ description: "Up to this moment, without it." }),
});

export function spanOf({ from, to }: z.infer<typeof SpanQuery>) {
  const moment = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  return { from: moment(from), to: moment(to) };
}

export const NextCursor = z.string().optional().openapi({
  description: "Present when there is more; send it back as `cursor`.",
});

const SEARCH_CHARS_MAX = 100;

/** The text that a list is searched for. */
export const Search = line(SEARCH_CHARS_MAX);

/** An address of 2,048 characters is longer in its normal form. */
const ACTOR_ID_CHARS_MAX = 8192;

/** The caller, by the name that records use. */
export const ActorId = z
  .string()
  .max(ACTOR_ID_CHARS_MAX)
  .regex(/^(?:[\w-]+|(?:unsigned )?https?:\/\/[!-~]+)$/, "must be an agent's id or a profile")
  .openapi({
    description:
      "An agent's id or a platform's profile; with `unsigned ` before it where nobody has proven to be it.",
    example: "https://platform.example/profile",
  });

/** Answers with the refusal of an action. Its detail is written for the caller. */
export function refused(
  refusal: Refusal<ReasonCode> & { readonly reasonCode?: string | undefined },
): never {
  const { reason, detail, reasonCode } = refusal;
  throw new Problem(reason, { message: detail, reasonCode });
}

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
