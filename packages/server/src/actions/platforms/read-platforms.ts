import { ok, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { decisionsByIdentity } from "../../domain/decisions/counts/store.js";
import type { Platform } from "../../domain/platforms/platform.js";
import {
  type PlatformFilter,
  listPlatforms as selectPlatforms,
} from "../../domain/platforms/store.js";
import { DAY_MS } from "../../infra/time.js";
import { webName } from "../../infra/web-name.js";
import { type Page, type PageRequest, readPage } from "../page.js";

const RECENT_MS = 30 * DAY_MS;

/** A platform, with the number of its decisions in the last 30 days. */
export interface PlatformWithCount {
  readonly platform: Platform;
  readonly recentDecisions: number;
}

/** How many decisions each platform had recently; those without one are absent. */
function recentDecisions(
  { clock, db }: Context,
  siteKeyHash: string,
  platforms: readonly Platform[],
) {
  const identities = platforms.map(({ identity }) => identity);
  return decisionsByIdentity(db, siteKeyHash, identities, clock.now() - RECENT_MS);
}

export async function withRecentDecisions(
  context: Context,
  siteKeyHash: string,
  platform: Platform,
): Promise<PlatformWithCount> {
  const counts = await recentDecisions(context, siteKeyHash, [platform]);
  return { platform, recentDecisions: counts.get(platform.identity) ?? 0 };
}

/** A page of a site's platforms, newest first. */
export async function listPlatforms(
  context: Context,
  siteKeyHash: string,
  filter: PlatformFilter,
  request: PageRequest,
): Promise<Result<Page<PlatformWithCount>, "invalid_request">> {
  const page = await readPage(
    request,
    (pageRequest) => selectPlatforms(context.db, siteKeyHash, filter, pageRequest),
    ({ createdAt, identity }) => ({ createdAt, id: identity }),
  );
  if (!page.ok) return page;
  const { items: platforms, nextCursor } = page.value;
  const counts = await recentDecisions(context, siteKeyHash, platforms);
  const items = platforms.map((platform) => {
    return { platform, recentDecisions: counts.get(platform.identity) ?? 0 };
  });
  return ok({ items, nextCursor });
}

export const NOT_LISTED = "This platform is not in the site's list.";

/** The identity of a platform in the list that a person names by its domain or host. */
export const hostNamed = (text: string): string => webName(`https://${text}/`)?.host ?? text;
