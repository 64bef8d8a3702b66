import { ok, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { readDomain } from "../../domain/sites/domain.js";
import type { Site } from "../../domain/sites/site.js";
import { listSites as selectSites } from "../../domain/sites/store.js";
import type { Principal } from "../../domain/tokens/token.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** A page of the sites that a reader may see, in order of creation; all, or those of one domain. */
export async function listSites(
  { db }: Context,
  { sites: visible }: Principal,
  domain: string | undefined,
  request: PageRequest,
): Promise<Result<Page<Site>, "invalid_request">> {
  const read = domain === undefined ? ok(null) : readDomain(domain, { development: true });
  return readPage(
    request,
    // No site has a domain that cannot be read.
    async (page) => (read.ok ? selectSites(db, { visible, domain: read.value, ...page }) : []),
    ({ createdAt, siteKeyHash }) => ({ createdAt, id: siteKeyHash }),
  );
}
