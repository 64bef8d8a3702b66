import type { Migration } from "../migration.js";

/**
 * - visits: one row for each page load a beacon told of, or an edge reported. Never an address, a
 *   cookie or a query string. `off_site` pages are of another host than the site's.
 * - visit_hours: how many, by hour, kind and agent; written with the rows they count, and kept when
 *   those are gone. `agent` is empty where none is known.
 */
export const visits: Migration = {
  name: "visits",
  sql: ({ integer, strict }) => `
CREATE TABLE visits (
  visit_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  observed_at ${integer} NOT NULL,
  received_at ${integer} NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('beacon', 'edge')),
  classification TEXT NOT NULL,
  agent_name TEXT,
  agent_operator TEXT,
  signature TEXT,
  page_url TEXT,
  off_site ${integer} NOT NULL
) ${strict};

CREATE INDEX visits_by_site ON visits (site_key_hash, observed_at, visit_id);

CREATE TABLE visit_hours (
  site_key_hash TEXT NOT NULL,
  hour ${integer} NOT NULL,
  classification TEXT NOT NULL,
  agent TEXT NOT NULL,
  visits ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, hour, classification, agent)
) ${strict};
`,
};
