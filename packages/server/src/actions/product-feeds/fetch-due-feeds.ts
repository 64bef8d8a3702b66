import type { Context } from "../../context.js";
import { serviceActor } from "../../domain/audit/drafts.js";
import { dueFeeds } from "../../domain/product-feeds/store.js";
import { MINUTE_MS } from "../../infra/time.js";
import { fetchFeed } from "./fetch-feed.js";

export const FEEDS_JOB = "feeds.fetch";
export const FEEDS_EVERY_MS = MINUTE_MS;
/** Feeds read at once. */
const FEEDS_PER_PAGE = 50;
/** Feeds fetched at the same time: slow ones wait for their servers. */
const FEEDS_AT_ONCE = 4;
/** Well within the job's lease. Each feed is claimed separately, so that a slow one may take longer. */
const RUN_MS_MAX = 4 * MINUTE_MS;

/** Fetches every feed that is due. Idempotent: a feed that was fetched is not due. */
export async function fetchDueFeeds(context: Context, stopping: () => boolean): Promise<void> {
  const { clock, db, log } = context;
  const started = clock.now();
  const isOver = () => stopping() || clock.now() > started + RUN_MS_MAX;
  const options = { actor: serviceActor(FEEDS_JOB), onlyIfDue: true, acceptFewer: false };
  const left = (await dueFeeds(db, started, FEEDS_PER_PAGE)).values();
  const work = async () => {
    for (const { siteKeyHash } of left) {
      if (isOver()) return;
      const fetched = await fetchFeed(context, siteKeyHash, options);
      if (!fetched.ok) continue;
      const outcome = fetched.value.result?.outcome;
      const isBad = outcome === "failed" || outcome === "not_applied";
      if (isBad) log.warn({ siteKeyHash, outcome }, "feed.not_applied");
    }
  };
  await Promise.all(Array.from({ length: FEEDS_AT_ONCE }, work));
}
