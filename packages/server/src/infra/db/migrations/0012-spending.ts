import { HOUR_MS, MINUTE_MS } from "../../time.js";
import type { Migration } from "../migration.js";

/**
 * decisions.spent_at: when money was asked for because of it; null where none was, or none came of
 * it. A budget looks at this moment: a person may approve hours after something was asked for. The
 * hours are counted anew by it; what moves no money is no longer in them. decision_minutes: the same
 * counts of the last two hours, for rules that look at minutes.
 */
export const spending: Migration = {
  name: "spending",
  sql: ({ integer, strict }) => `
ALTER TABLE decisions ADD COLUMN spent_at ${integer};

UPDATE decisions SET spent_at = evaluated_at
  WHERE outcome IN ('approved', 'paying') AND amount_minor IS NOT NULL
    AND skill IN ('place_order', 'complete_checkout');

CREATE TABLE decision_minutes (
  site_key_hash TEXT NOT NULL,
  minute ${integer} NOT NULL,
  actor_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  minor ${integer} NOT NULL,
  decisions ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, minute, actor_id, currency)
) ${strict};

CREATE INDEX decisions_by_spending ON decisions (site_key_hash, spent_at, decision_id);

INSERT INTO decision_minutes (site_key_hash, minute, actor_id, currency, minor, decisions)
  SELECT site_key_hash, evaluated_at - evaluated_at % ${MINUTE_MS}, actor_id, COALESCE(currency, ''),
    SUM(CASE WHEN spent_at IS NULL THEN 0 ELSE amount_minor END), COUNT(*)
  FROM decisions GROUP BY 1, 2, 3, 4;

UPDATE decision_hours SET minor = COALESCE((
  SELECT SUM(amount_minor) FROM decisions
  WHERE decisions.site_key_hash = decision_hours.site_key_hash
    AND decisions.actor_id = decision_hours.actor_id
    AND decisions.currency = decision_hours.currency
    AND decisions.spent_at >= decision_hours.hour
    AND decisions.spent_at < decision_hours.hour + ${HOUR_MS}), 0);
`,
};
