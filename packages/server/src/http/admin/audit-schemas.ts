import { z } from "@hono/zod-openapi";
import type { StoredRecord } from "../../domain/audit/log.js";
import { SiteParams } from "./schemas.js";

/** The name of a log: `{domain}/audit/{epoch}`. */
export const Chain = z.string().max(280).openapi({ example: "shop.example.com/audit/1" });

/** A record with its proof, in the form that exports have. */
export const EntryBody = z
  .object({
    record: z.record(z.string(), z.unknown()),
    hash: z.string(),
    sig: z.string(),
    key_id: z.string(),
  })
  .openapi("AuditEntry");

/** A record in a list also says which order it is about. */
export const ListedEntryBody = EntryBody.extend({
  order_number: z.int().optional().openapi({
    description: "The number of the order that the record is about. It is not part of the record.",
    example: 1042,
  }),
}).openapi("ListedAuditEntry");

export function entryBody({ text, hash, sig, key_id }: StoredRecord): z.infer<typeof EntryBody> {
  return { record: JSON.parse(text), hash, sig, key_id };
}

/** The owner of the logs that a set of routes is for: a site, which the path names, or the installation. */
export interface LogOwner {
  readonly path: string;
  readonly params: typeof SiteParams;
  /** The owner's name in summaries. */
  readonly of: string;
}

export const SITE_LOGS: LogOwner = {
  path: "/v1/admin/sites/{site_key_hash}",
  params: SiteParams,
  of: "a site",
};

export const INSTALLATION_LOGS: LogOwner = {
  path: "/v1/admin/installation",
  params: z.object({}) as unknown as typeof SiteParams,
  of: "the installation",
};
