import { z } from "@hono/zod-openapi";
import type { StoredRecord } from "../../domain/audit/log.js";

/** The name of a log: `{domain}/audit/{epoch}`. */
export const Chain = z.string().max(280).openapi({ example: "shop.example.com/audit/1" });

/** A record with what proves it, as it stands in exports. */
export const EntryBody = z
  .object({
    record: z.record(z.string(), z.unknown()),
    hash: z.string(),
    sig: z.string(),
    key_id: z.string(),
  })
  .openapi("AuditEntry");

export function entryBody({ text, hash, sig, key_id }: StoredRecord): z.infer<typeof EntryBody> {
  return { record: JSON.parse(text), hash, sig, key_id };
}
