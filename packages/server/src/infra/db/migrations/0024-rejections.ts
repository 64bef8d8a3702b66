import type { Migration } from "../migration.js";

/**
 * How many refusals have a record each: of one agent, or (without an agent) of all strangers in one
 * area of a site. Counted in the transaction of the record, so retries, restarts and other nodes do
 * not change the limit.
 */
export const rejections: Migration = {
  name: "rejections",
  sql: ({ integer, clustered }) => `
CREATE TABLE single_rejections (
  site_key_hash TEXT NOT NULL,
  door TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  minute ${integer} NOT NULL,
  in_minute ${integer} NOT NULL,
  day ${integer} NOT NULL,
  in_day ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, door, agent_id)
) ${clustered};
`,
};
