import { z } from "@hono/zod-openapi";
import { INSTALLATION } from "../../domain/audit/log.js";
import { SiteParams } from "./schemas.js";

/** Whose logs a set of routes is for: a site's, which the path names, or the installation's. */
export interface LogOwner {
  readonly path: string;
  readonly params: typeof SiteParams;
  /** As summaries name it. */
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

/** The owner of the log that a request is about, as the logs name it. */
export function ownerIn(params: { readonly site_key_hash?: string }): string {
  return params.site_key_hash ?? INSTALLATION;
}
