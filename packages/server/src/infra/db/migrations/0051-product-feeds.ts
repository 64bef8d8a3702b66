import type { Migration } from "../migration.js";

/**
 * product_feeds: the feed that a site's products come from, when it is fetched next, and what the last fetch came to.
 * `claimed_until` is the lease of the node that fetches it.
 *
 * products.from_feed: 1 for products that the feed has listed. `missing_since` is set while it does not list them, and
 * `feed_paused` is 1 if they were paused for that.
 *
 * sites.published_feeds: the feeds that the site publishes, as JSON.
 */
export const productFeeds: Migration = {
  name: "product-feeds",
  sql: ({ integer, strict }) => `
CREATE TABLE product_feeds (
  site_key_hash TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  every_hours ${integer} NOT NULL,
  currency TEXT,
  format TEXT,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  next_at ${integer} NOT NULL,
  claimed_until ${integer},
  result TEXT
) ${strict};
CREATE INDEX product_feeds_by_next ON product_feeds (next_at, site_key_hash);
ALTER TABLE products ADD COLUMN from_feed ${integer} NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN missing_since ${integer};
ALTER TABLE products ADD COLUMN feed_paused ${integer} NOT NULL DEFAULT 0;
CREATE INDEX products_by_feed ON products (site_key_hash, product_id) WHERE from_feed = 1;
ALTER TABLE sites ADD COLUMN published_feeds TEXT NOT NULL DEFAULT '{"formats":[],"condition":"new"}';
`,
};
