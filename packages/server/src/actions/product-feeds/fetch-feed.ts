import { join } from "node:path";
import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import {
  FEED_LEASE_MS,
  type FeedResult,
  isShrunk,
  type ProductFeed,
} from "../../domain/product-feeds/product-feed.js";
import { claimFeed, finishFetch, productFeed } from "../../domain/product-feeds/store.js";
import { countListed } from "../../domain/products/feed/store.js";
import { LineFile } from "../../infra/files/line-file.js";
import { REFUSED_MAX } from "../products/import-products.js";
import { applyFeed, type FeedChanges } from "./apply-feed.js";
import { compareFeed, type FeedDifference } from "./compare-feed.js";
import { notifyOfHold } from "./notify-missing.js";

/** The folder below the data directory where changes wait until they are written. */
const FOLDER = "feeds";

interface FetchOptions {
  readonly actor: Actor;
  /** Whether it is fetched only if it is due. */
  readonly onlyIfDue: boolean;
  /** Whether a feed with few products is applied: the owner has looked at it. */
  readonly acceptFewer: boolean;
}

const NONE = { listed: 0, added: 0, changed: 0, paused: 0, removed: 0, refused: 0, problems: [] };

const failed = (at: number, message: string): FeedResult => {
  return { ...NONE, at, outcome: "failed", message };
};

const KEPT =
  "Missing products stay on sale for now, because an item with an error has no readable id. Fix this item in the feed. " +
  "If it still has its error after 24 hours, missing products are paused.";
const PAUSED =
  "Products missing for 24 hours were paused, and products missing for 30 days were removed. " +
  "An item with an error still has no readable id. Fix this item in the feed.";

const SHRUNK = "Nothing was changed. Check the feed. If it is right, apply it anyway.";

/** Why a feed is not applied; undefined if it can be. */
async function objection(
  { db }: Context,
  { siteKeyHash }: ProductFeed,
  { reader, stopped }: FeedDifference,
  acceptFewer: boolean,
): Promise<string | undefined> {
  if (stopped) {
    return `Nothing was changed, because more than ${REFUSED_MAX - 1} items have errors. Fix the feed.`;
  }
  const listed = reader.seen.size;
  const before = await countListed(db, siteKeyHash);
  if (!isShrunk(listed, before)) return undefined;
  if (listed === 0) return "Nothing was changed, because the feed has no valid products.";
  return acceptFewer
    ? undefined
    : `The feed lists less than half of its products: ${listed} instead of ${before}. ${SHRUNK}`;
}

/** The result while the feed is the one that was read last. */
function unchanged({ result: before }: ProductFeed, at: number): FeedResult {
  const { listed, refused, problems } = before ?? NONE;
  const message = before?.outcome === "failed" ? null : (before?.message ?? null);
  return { ...NONE, listed, refused, problems, at, outcome: "unchanged", message };
}

/** The result of a fetch that was not applied. What was kept on sale stays so. */
const unapplied = ({ result: before }: ProductFeed, result: FeedResult): FeedResult =>
  before?.hold === undefined ? result : { ...result, hold: before.hold };

function keptMessage({ paused, removed, hold }: FeedChanges): string | null {
  if (hold === undefined) return null;
  return paused + removed > 0 ? PAUSED : KEPT;
}

/** Fetches a feed and applies it, if nothing speaks against it. */
async function fetchOnce(
  context: Context,
  feed: ProductFeed,
  changes: LineFile,
  { actor, acceptFewer }: FetchOptions,
): Promise<{ readonly feed: ProductFeed; readonly result: FeedResult }> {
  const at = context.clock.now();
  const compared = await compareFeed(context, feed, changes);
  if (!compared.ok) return { feed, result: unapplied(feed, failed(at, compared.detail)) };
  const { read, difference } = compared.value;
  const { reader, added, changed } = difference;
  if (read === null && !difference.stopped) {
    return { feed, result: unapplied(feed, unchanged(feed, at)) };
  }
  const { refused, problems } = reader;
  const seen = { ...NONE, at, listed: reader.seen.size, refused, problems };
  const format = read?.format ?? feed.format;
  // A version that was not applied has to be fetched again.
  const unread = { ...feed, format, etag: "", lastModified: "" };
  const message = await objection(context, feed, difference, acceptFewer);
  if (message !== undefined) {
    const result = { ...seen, outcome: "not_applied" as const, message };
    return { feed: unread, result: unapplied(feed, result) };
  }
  const application = { changes, actor, held: feed.result?.hold };
  const applied = await applyFeed(context, feed.siteKeyHash, difference, application);
  if (!applied.ok) {
    const result = { ...seen, outcome: "failed" as const, message: applied.detail };
    return { feed: unread, result: unapplied(feed, result) };
  }
  const { paused, removed, hold } = applied.value;
  const isChanged = added + changed + paused + removed > 0;
  const outcome = isChanged ? "applied" : "unchanged";
  const counts = { added, changed, paused, removed };
  const result: FeedResult = { ...seen, ...counts, outcome, message: keptMessage(applied.value) };
  if (hold === undefined) return { feed: { ...feed, ...read }, result };
  // Read again even if it stays the same, because the time of the missing products ends.
  return { feed: unread, result: { ...result, hold } };
}

/** Writes the result. `before` is the feed as it was before the fetch. */
async function finish(
  context: Context,
  before: ProductFeed,
  { feed, result }: { readonly feed: ProductFeed; readonly result: FeedResult },
): Promise<void> {
  const { db, metrics } = context;
  await db.transaction(async (tx) => {
    // The owner may have changed the address meanwhile.
    if (await finishFetch(tx, feed, result)) await notifyOfHold(context, tx, before, result);
  });
  metrics.counter("gatehouse_feed_fetches_total")({ result: result.outcome });
}

/** Fetches the feed of a site now, unless another node is doing so. Every result is stored. */
export async function fetchFeed(
  context: Context,
  siteKeyHash: string,
  options: FetchOptions,
): Promise<Result<ProductFeed, "not_found" | "conflict">> {
  const { config, clock, db, log } = context;
  const now = clock.now();
  const feed = await productFeed(db, siteKeyHash);
  if (feed === undefined) return refuse("not_found", "The site has no product feed.");
  const dueBy = options.onlyIfDue ? now : Number.MAX_SAFE_INTEGER;
  if (!(await claimFeed(db, siteKeyHash, { now, until: now + FEED_LEASE_MS, dueBy }))) {
    return refuse("conflict", "The feed is being fetched now. Try again in a few minutes.");
  }
  // What a second attempt needs is read after the claim, because the fetch before it may have changed it.
  const claimed = (await productFeed(db, siteKeyHash)) ?? feed;
  const changes = await LineFile.create(join(config.dataDir, FOLDER, `${siteKeyHash}.jsonl`));
  try {
    const accepted = options.acceptFewer ? { ...claimed, etag: "", lastModified: "" } : claimed;
    const done = await fetchOnce(context, accepted, changes, options);
    await finish(context, claimed, done);
  } catch (error) {
    log.error({ siteKeyHash, error }, "feed.fetch_failed");
    const message = "The feed could not be applied because of a problem of this service.";
    const result = unapplied(claimed, failed(now, message));
    await finish(context, claimed, { feed: claimed, result });
  } finally {
    await changes.remove();
  }
  const after = await productFeed(db, siteKeyHash);
  return after === undefined ? refuse("not_found", "The feed was removed.") : ok(after);
}
