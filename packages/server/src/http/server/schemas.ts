import { REASONS, type ReasonCode } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";
import { isoTime } from "../../infra/clock.js";

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
/** A time as answers have it. */
export const timeOrNull = (at: number | null) => (at === null ? null : isoTime(at));

export const SiteKeyHash = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, "must be a site key hash of 43 characters");

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
