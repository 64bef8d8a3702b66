import type { Result } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";
import { PAGE_ITEMS, PAGE_ITEMS_MAX, type Page } from "../../actions/page.js";
import { line } from "../server/fields.js";
import { Problem } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { SiteKeyHash, Timestamp } from "../server/schemas.js";

export const SiteParams = z.object({
  site_key_hash: SiteKeyHash.openapi({ param: { name: "site_key_hash", in: "path" } }),
});

const HOST_CHARS_MAX = 253;

/** The path of one platform of a site. */
export const PlatformParams = SiteParams.extend({
  platform: z
    .string()
    .max(HOST_CHARS_MAX)
    .openapi({ param: { name: "platform", in: "path" }, example: "platform.example" }),
});

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(PAGE_ITEMS_MAX).default(PAGE_ITEMS),
  cursor: z.string().max(256).optional(),
});

/** Limits a list to what happened between two moments. */
/** An amount in minor units, such as cents. */
export const MoneyBody = z.object({ minor: z.int(), currency: z.string() });

export const SpanQuery = z.object({
  from: Timestamp.optional(),
  to: Timestamp.optional().openapi({ description: "The default is now." }),
});

export function spanOf({ from, to }: z.infer<typeof SpanQuery>) {
  const moment = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  return { from: moment(from), to: moment(to) };
}

export const NextCursor = z.string().optional().openapi({
  description: "Present if there are more. Send it as `cursor` to get the next page.",
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
  .regex(
    /^(?:[\w-]+|(?:unsigned )?https?:\/\/[!-~]+|unsigned caller)$/,
    "must be the id of an agent or the profile of a platform",
  )
  .openapi({
    description:
      "The id of an agent or the profile of a platform. It begins with `unsigned ` if the caller did not prove who it is. " +
      "`unsigned caller` stands for callers without a profile.",
    example: "https://platform.example/profile",
  });

/** The body of a page, in the form that every list of the admin API has. */
export function pageBody<Item, Body>(
  page: Result<Page<Item>, "invalid_request">,
  render: (item: Item) => Body,
): { items: Body[]; next_cursor: string | undefined } {
  const { items, nextCursor } = requireOk(page);
  return { items: items.map(render), next_cursor: nextCursor };
}

/** The number that a page of numbered items begins before; null for the newest page. */
export function readPlace(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new Problem("invalid_request", { message: "The cursor does not belong to this list." });
}
