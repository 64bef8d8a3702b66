import type { Migration } from "../migration.js";

/**
 * Lists that are filtered read their page by an index, however many other rows a site has. Mandates come
 * first in theirs, because an owner looks one up without knowing its agent. The index it replaces goes last,
 * because that locks the table for readers too.
 */
export const filteredLists: Migration = {
  name: "filtered-lists",
  sql: () => `
CREATE UNIQUE INDEX decisions_by_mandate_id ON decisions (site_key_hash, mandate_id, actor_id);
CREATE INDEX decisions_by_actor ON decisions (site_key_hash, actor_id, evaluated_at, decision_id);
CREATE INDEX decisions_by_outcome ON decisions (site_key_hash, outcome, evaluated_at, decision_id);

CREATE INDEX orders_by_status ON orders (site_key_hash, status, created_at, order_id);
CREATE INDEX orders_by_payment ON orders (site_key_hash, payment, created_at, order_id);
CREATE INDEX orders_by_actor ON orders (site_key_hash, actor_id, created_at, order_id);

CREATE INDEX reviews_by_status ON reviews (site_key_hash, status, created_at, escalation_id);

CREATE INDEX visits_by_agent ON visits (site_key_hash, agent_name, observed_at, visit_id)
  WHERE agent_name IS NOT NULL;
CREATE INDEX visits_not_by_people ON visits (site_key_hash, classification, observed_at, visit_id)
  WHERE classification <> 'person';

DROP INDEX decisions_by_mandate;
`,
};
