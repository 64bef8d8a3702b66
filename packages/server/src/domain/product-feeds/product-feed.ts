import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../infra/time.js";

/** How often an owner can have a feed fetched, in hours. */
export const FEED_HOURS = [1, 6, 24] as const;
export type FeedHours = (typeof FEED_HOURS)[number];

export const FEED_FORMATS = ["google_xml", "google_table", "shopify", "json_lines"] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/**
 * What a fetch came to. `unchanged`: the site has these products already. `not_applied`: the feed is empty or lists
 * less than half of the products it had, so the owner has to decide. `failed`: it could not be fetched or read.
 */
export const FEED_OUTCOMES = ["applied", "unchanged", "not_applied", "failed"] as const;

/** An item that was rejected. */
interface FeedProblem {
  /** The line of the file, or the number of the item where a format has no lines. */
  readonly line: number;
  readonly problem: string;
}

/** Missing products that stay on sale, because an item whose id cannot be read may be any of them. */
export interface FeedHold {
  readonly since: number;
  /** Those that have been missing from every version of the feed since then. */
  readonly ids: readonly string[];
}

/** The result of a fetch. */
export interface FeedResult {
  readonly at: number;
  readonly outcome: (typeof FEED_OUTCOMES)[number];
  /** Why it failed, was not applied, or did not pause what it does not list, as a sentence for the owner. */
  readonly message: string | null;
  /** How many valid products the feed lists. */
  readonly listed: number;
  readonly added: number;
  readonly changed: number;
  /** Taken off sale, because the feed does not list them any more. */
  readonly paused: number;
  /** Removed, because they were missing for long. */
  readonly removed: number;
  readonly refused: number;
  /** The first rejected items. */
  readonly problems: readonly FeedProblem[];
  /** Left out if no missing product is kept on sale. */
  readonly hold?: FeedHold;
}

/** The feed that a site's products come from. */
export interface ProductFeed {
  readonly siteKeyHash: string;
  readonly url: string;
  readonly everyHours: FeedHours;
  /** For prices without a currency; null if the feed names it. */
  readonly currency: string | null;
  /** What the last fetch found it to be. */
  readonly format: FeedFormat | null;
  /** Validators of what was applied last; empty if there are none. */
  readonly etag: string;
  readonly lastModified: string;
  readonly nextAt: number;
  /** Until when a node has it to itself; null while nobody fetches it. */
  readonly claimedUntil: number | null;
  readonly result: FeedResult | null;
}

/** How long a node has a feed to itself: longer than any fetch takes. */
export const FEED_LEASE_MS = 15 * MINUTE_MS;

/** A feed that failed is tried again after this, or earlier if it is due earlier. */
const RETRY_MS = HOUR_MS;

/** When a feed is fetched next. */
export function nextFetchAt({ everyHours }: ProductFeed, { at, outcome }: FeedResult): number {
  const everyMs = everyHours * HOUR_MS;
  return at + (outcome === "failed" ? Math.min(RETRY_MS, everyMs) : everyMs);
}

/** Products that are missing for this long are removed. */
export const MISSING_DAYS_MAX = 30;

/** Whether a feed lists so few products that its owner should look first. */
export function isShrunk(listed: number, before: number): boolean {
  return listed === 0 || listed * 2 < before;
}

/** How long missing products stay on sale because of an item whose id cannot be read. */
export const HOLD_MS_MAX = DAY_MS;
/** Missing products that are remembered at once. The others are paused a day later. */
const HELD_IDS_MAX = 5000;

/** What becomes of missing products. */
export interface Holding {
  /** Missing for a whole day: nobody knows their price and stock any more, even if their item is there. */
  readonly pause: readonly string[];
  readonly isOver: boolean;
  readonly hold: FeedHold;
}

/**
 * Keeps missing products on sale for a day. Only those that were missing all the time are paused then. For others the
 * time begins anew, so none is paused for an error of the last hours.
 */
export function holdMissing(
  before: FeedHold | undefined,
  missing: readonly string[],
  now: number,
): Holding {
  const missingNow = new Set(missing);
  const ids = before === undefined ? missing : before.ids.filter((id) => missingNow.has(id));
  const since = before?.since ?? now;
  if (now < since + HOLD_MS_MAX) {
    return { pause: [], isOver: false, hold: { since, ids: ids.slice(0, HELD_IDS_MAX) } };
  }
  const paused = new Set(ids);
  const others = missing.filter((id) => !paused.has(id)).slice(0, HELD_IDS_MAX);
  return { pause: ids, isOver: true, hold: { since: now, ids: others } };
}
