import { REASONS, type ReasonCode, type Refusal } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";
import { PAGE_ITEMS, PAGE_ITEMS_MAX } from "../../actions/page.js";
import { Problem } from "../server/problem.js";
import { line } from "./text-line.js";

const ErrorBody = z
  .object({
    error: z.string().openapi({ example: "not_found" }),
    message: z.string(),
    reason_code: z.string().optional(),
    docs_url: z.string().optional(),
    request_id: z.string(),
  })
  .openapi("Error");

export const Timestamp = z.iso.datetime().openapi({ example: "2026-11-15T09:30:00.000Z" });
export const SiteKeyHash = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, "must be a site key hash of 43 characters");

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

export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } };
}

export function body<T extends z.ZodType>(schema: T) {
  return { required: true, content: { "application/json": { schema } } };
}

/** Error answers of a route, for the OpenAPI document. */
export function errors(...codes: ReasonCode[]) {
  const common: ReasonCode[] = ["unauthorized", "rate_limited", "unavailable"];
  const texts = new Map<number, string>();
  for (const code of [...codes, ...common]) {
    const { status, message } = REASONS[code];
    const before = texts.get(status);
    const text = `\`${code}\`: ${message}`;
    texts.set(status, before === undefined ? text : `${before} Or ${text}`);
  }
  return Object.fromEntries([...texts].map(([status, text]) => [status, json(ErrorBody, text)]));
}

/** Ends the route with a refusal of an action; its detail is written for the caller. */
export function refused(
  refusal: Refusal<ReasonCode> & { readonly reasonCode?: string | undefined },
): never {
  const { reason, detail, reasonCode } = refusal;
  throw new Problem(reason, { message: detail, reasonCode });
}
