import type { ReasonCode, Refusal } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";
import { PAGE_ITEMS, PAGE_ITEMS_MAX } from "../../actions/page.js";
import { Problem } from "../server/problem.js";
import { SiteKeyHash, Timestamp } from "../server/schemas.js";
import { line } from "./text-line.js";

export const SiteParams = z.object({
  site_key_hash: SiteKeyHash.openapi({ param: { name: "site_key_hash", in: "path" } }),
});

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(PAGE_ITEMS_MAX).default(PAGE_ITEMS),
  cursor: z.string().max(256).optional(),
});

/** Of what happened between two moments. */
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

/** What is looked for in a list, as it is written. */
export const Search = line(SEARCH_CHARS_MAX);

/** A profile of 2,048 characters grows when it is written in one spelling. */
const ACTOR_ID_CHARS_MAX = 8192;

/** Who asked for something, as records name them. */
export const ActorId = z
  .string()
  .max(ACTOR_ID_CHARS_MAX)
  .regex(/^(?:[\w-]+|(?:unsigned )?https?:\/\/[!-~]+)$/, "must be an agent's id or a profile")
  .openapi({
    description:
      "An agent's id or a platform's profile; with `unsigned ` before it where nobody has proven to be it.",
    example: "https://platform.example/profile",
  });

/** Ends the route with a refusal of an action; its detail is written for the caller. */
export function refused(
  refusal: Refusal<ReasonCode> & { readonly reasonCode?: string | undefined },
): never {
  const { reason, detail, reasonCode } = refusal;
  throw new Problem(reason, { message: detail, reasonCode });
}
