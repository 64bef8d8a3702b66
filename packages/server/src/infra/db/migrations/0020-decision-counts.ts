import { DAY_MS, HOUR_MS } from "../../time.js";
import type { Migration } from "../migration.js";

/**
 * How many decisions there are, as they stand now, in the hour and day they were made in; written with
 * the rows they count, so that an overview need not read those.
 * - outcome_hours: by outcome.
 * - outcome_agent_days: by actor and outcome.
 */
export const decisionCounts: Migration = {
  name: "decision-counts",
  sql: ({ integer, clustered }) => `
CREATE TABLE outcome_hours (
  site_key_hash TEXT NOT NULL,
  hour ${integer} NOT NULL,
  outcome TEXT NOT NULL,
  decisions ${integer} NOT NULL CHECK (decisions >= 0),
  PRIMARY KEY (site_key_hash, hour, outcome)
) ${clustered};

CREATE TABLE outcome_agent_days (
  site_key_hash TEXT NOT NULL,
  day ${integer} NOT NULL,
  actor_id TEXT NOT NULL,
  outcome TEXT NOT NULL,
  decisions ${integer} NOT NULL CHECK (decisions >= 0),
  PRIMARY KEY (site_key_hash, day, actor_id, outcome)
) ${clustered};

INSERT INTO outcome_hours (site_key_hash, hour, outcome, decisions)
  SELECT site_key_hash, evaluated_at - evaluated_at % ${HOUR_MS}, outcome, COUNT(*)
  FROM decisions GROUP BY 1, 2, 3;

INSERT INTO outcome_agent_days (site_key_hash, day, actor_id, outcome, decisions)
  SELECT site_key_hash, evaluated_at - evaluated_at % ${DAY_MS}, actor_id, outcome, COUNT(*)
  FROM decisions GROUP BY 1, 2, 3, 4;
`,
};
