import type { Migration } from "../migration.js";

/**
 * payments.hosted: the buyer pays on the provider's own page. sandbox_authorizations.closes_at: when such a
 * page of the sandbox closes. checkouts.browser_mac: the browser whose
 * buyer is in the checkout. carts.page_id: names the page of a cart, which makes a checkout in the name
 * of the platform, so the cart keeps where and how that is notified.
 */
export const handOff: Migration = {
  name: "hand-off",
  sql: ({ integer }) => `
ALTER TABLE payments ADD COLUMN hosted ${integer} NOT NULL DEFAULT 0;
ALTER TABLE sandbox_authorizations ADD COLUMN closes_at ${integer};
ALTER TABLE checkouts ADD COLUMN browser_mac TEXT;
ALTER TABLE carts ADD COLUMN page_id TEXT;
ALTER TABLE carts ADD COLUMN webhook_url TEXT;
ALTER TABLE carts ADD COLUMN ucp_version TEXT NOT NULL DEFAULT '2026-08-25';
CREATE UNIQUE INDEX carts_by_page ON carts (page_id) WHERE page_id IS NOT NULL;
`,
};
