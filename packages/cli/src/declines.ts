import type { AdminClient } from "./admin-client.js";
import type { SiteBody } from "./find-site.js";

/** Declined payments of a site, and who waits after them. */
export interface DeclinesBody {
  readonly window_seconds: number;
  readonly attempts: number;
  readonly declined: number;
  readonly unresolved: number;
  readonly unresolved_since: string | null;
  readonly hand_off_until: string | null;
  readonly waiting: readonly {
    readonly kind: "identity" | "address" | "instrument" | "buyer";
    readonly identity: string | null;
    readonly until: string;
    readonly times: number;
  }[];
}

export function declinesOf(
  client: AdminClient,
  { site_key_hash }: SiteBody,
): Promise<DeclinesBody> {
  return client.call("GET", `/v1/admin/sites/${site_key_hash}/declines`);
}
