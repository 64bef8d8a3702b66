import type { Migration } from "../migration.js";

/**
 * Visits lie in the order they are read in, and nowhere else: by site and time. One place to write to
 * instead of three, and the newest of a site always beside each other.
 */
export const visitsByTime: Migration = {
  name: "visits-by-time",
  sql: ({ integer, clustered }) => `
ALTER TABLE visits RENAME TO visits_by_id;

CREATE TABLE visits (
  site_key_hash TEXT NOT NULL,
  observed_at ${integer} NOT NULL,
  visit_id TEXT NOT NULL,
  received_at ${integer} NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('beacon', 'edge')),
  classification TEXT NOT NULL,
  agent_name TEXT,
  agent_operator TEXT,
  signature TEXT,
  page_url TEXT,
  off_site ${integer} NOT NULL,
  CONSTRAINT visits_in_order PRIMARY KEY (site_key_hash, observed_at, visit_id)
) ${clustered};

INSERT INTO visits (site_key_hash, observed_at, visit_id, received_at, source, classification,
  agent_name, agent_operator, signature, page_url, off_site)
SELECT site_key_hash, observed_at, visit_id, received_at, source, classification,
  agent_name, agent_operator, signature, page_url, off_site FROM visits_by_id;

DROP TABLE visits_by_id;
`,
};
