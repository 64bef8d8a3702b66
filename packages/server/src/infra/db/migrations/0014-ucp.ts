import type { Migration } from "../migration.js";

/**
 * - site_signing_keys: the ES256 key by which a site signs what it answers to platforms, and those it
 *   had before. The private half is sealed.
 * - products: the words of title and description, folded, one blank between two of them: what is
 *   searched, alike on both databases. Those of older rows are folded when they are next imported.
 */
export const ucp: Migration = {
  name: "ucp",
  sql: ({ integer, strict, productSearch }) => `
CREATE TABLE site_signing_keys (
  site_key_hash TEXT NOT NULL,
  kid TEXT NOT NULL,
  public_x TEXT NOT NULL,
  public_y TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  retired_at ${integer},
  PRIMARY KEY (site_key_hash, kid)
) ${strict};
CREATE UNIQUE INDEX site_signing_keys_current ON site_signing_keys (site_key_hash)
  WHERE retired_at IS NULL;

ALTER TABLE products ADD COLUMN title_words TEXT NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN body_words TEXT NOT NULL DEFAULT '';
${productSearch}
UPDATE products SET title_words = lower(title), body_words = lower(description);
`,
};
