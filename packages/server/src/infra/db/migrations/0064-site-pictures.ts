import { QUARTER_HOUR_MS } from "../../time.js";
import type { Migration } from "../migration.js";

/**
 * sites.picture: the digest of the picture of the shop, among its product_pictures. NULL if it has none.
 *
 * install_checks: what the last check of the documents on the website found, as JSON, and on which domain.
 *
 * sites.hour_start_minute: visits are counted in hours that begin at this minute. Days begin within an hour of UTC in
 * some time zones.
 *
 * outcome_hours: for the same reason, its rows are quarters of an hour from now on. Nodes of the version before write
 * whole hours until they are replaced.
 */
export const sitePictures: Migration = {
  name: "site-pictures",
  sql: ({ integer, strict }) => `
ALTER TABLE sites ADD COLUMN picture TEXT;

CREATE TABLE install_checks (
  site_key_hash TEXT PRIMARY KEY,
  domain TEXT NOT NULL,
  findings TEXT NOT NULL,
  checked_at ${integer} NOT NULL
) ${strict};

ALTER TABLE sites ADD COLUMN hour_start_minute ${integer} NOT NULL DEFAULT 0;

DELETE FROM outcome_hours;
INSERT INTO outcome_hours (site_key_hash, hour, outcome, decisions)
  SELECT site_key_hash, evaluated_at - evaluated_at % ${QUARTER_HOUR_MS}, outcome, COUNT(*)
  FROM decisions GROUP BY 1, 2, 3
  ON CONFLICT (site_key_hash, hour, outcome) DO UPDATE SET decisions = excluded.decisions;
`,
};
