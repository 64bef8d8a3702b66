import type { Migration } from "../migration.js";

/** edge_tokens: what a site's edge worker or plugin reports visits with. Good for nothing else. */
export const edgeTokens: Migration = {
  name: "edge-tokens",
  sql: ({ integer, strict }) => `
CREATE TABLE edge_tokens (
  token_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  revoked_at ${integer}
) ${strict};

CREATE INDEX edge_tokens_by_site ON edge_tokens (site_key_hash, created_at, token_id);
`,
};
