import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import type { FeedHours, ProductFeed } from "../../domain/product-feeds/product-feed.js";
import { deleteFeed, productFeed, writeFeed } from "../../domain/product-feeds/store.js";
import { releaseProducts } from "../../domain/products/feed/store.js";
import { ownedByShop } from "../products/changing-products.js";

export interface FeedSettings {
  readonly url: string;
  readonly everyHours: FeedHours;
  readonly currency: string | null;
}

const NO_FEED = refuse("not_found", "The site has no product feed.");

export async function showFeed(
  { db }: Context,
  siteKeyHash: string,
): Promise<Result<ProductFeed, "not_found">> {
  const feed = await productFeed(db, siteKeyHash);
  return feed === undefined ? NO_FEED : ok(feed);
}

/**
 * Sets where a site's products come from. It is fetched soon. The record names the host alone, because addresses of
 * feeds often contain a secret.
 */
export async function setFeed(
  { audit, clock, db, safeFetch }: Context,
  siteKeyHash: string,
  settings: FeedSettings,
  actor: Actor,
): Promise<Result<ProductFeed, "invalid_request" | "conflict">> {
  const owned = await ownedByShop(db, siteKeyHash);
  if (owned !== undefined) return owned;
  const permitted = await safeFetch.permits(settings.url);
  if (!permitted.ok) return refuse("invalid_request", `url: ${permitted.detail}.`);
  const { host } = permitted.value;
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const now = clock.now();
    const before = await productFeed(tx, siteKeyHash);
    const isSame = before?.url === settings.url && before.currency === settings.currency;
    const kept = isSame ? before : { format: null, etag: "", lastModified: "", result: null };
    const claimedUntil = before?.claimedUntil ?? null;
    const feed: ProductFeed = { ...kept, claimedUntil, siteKeyHash, ...settings, nextAt: now };
    await writeFeed(tx, feed);
    const change = { kind: "product_feed_set", host, every_hours: settings.everyHours };
    return { records: [actorDraft("site.changed", actor, now, { change })], answer: feed };
  });
  return ok(answer);
}

/** Removes the feed. The products stay as they are. */
export async function removeFeed(
  { audit, clock }: Context,
  siteKeyHash: string,
  actor: Actor,
): Promise<Result<null, "not_found">> {
  type Answer = Result<null, "not_found">;
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx) => {
    if ((await productFeed(tx, siteKeyHash)) === undefined) return { records: [], answer: NO_FEED };
    await deleteFeed(tx, siteKeyHash);
    await releaseProducts(tx, siteKeyHash);
    const change = { kind: "product_feed_removed" };
    const records = [actorDraft("site.changed", actor, clock.now(), { change })];
    return { records, answer: ok(null) };
  });
  return answer;
}
