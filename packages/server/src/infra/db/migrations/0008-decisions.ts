import type { Migration } from "../migration.js";

/**
 * - decisions: every mandate that was claimed, once: what was asked, what was decided and what was
 *   answered. `digest` is of the signed bytes: the same bytes again get the same answer.
 * - decision_hours: what was approved by actor, currency and hour, for budgets over long windows;
 *   written with the decisions they count. `currency` is empty where nothing was to pay.
 * - agent_failures, agent_locks: what a known agent did wrong lately, each mandate once, and how
 *   long it has to wait.
 */
export const decisions: Migration = {
  name: "decisions",
  sql: ({ integer, strict }) => `
CREATE TABLE decisions (
  decision_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  mandate_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  skill TEXT NOT NULL,
  protocol TEXT NOT NULL,
  amount_minor ${integer},
  currency TEXT,
  outcome TEXT NOT NULL,
  reason TEXT,
  rule_id TEXT,
  rules_evaluated ${integer} NOT NULL,
  policy_version ${integer},
  record_id TEXT NOT NULL,
  evaluated_at ${integer} NOT NULL,
  answer TEXT NOT NULL
) ${strict};

CREATE UNIQUE INDEX decisions_by_mandate ON decisions (site_key_hash, actor_id, mandate_id);
CREATE INDEX decisions_by_time ON decisions (site_key_hash, evaluated_at, decision_id);

CREATE TABLE decision_hours (
  site_key_hash TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  hour ${integer} NOT NULL,
  minor ${integer} NOT NULL,
  decisions ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, hour, actor_id, currency)
) ${strict};

CREATE TABLE agent_failures (
  site_key_hash TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  mandate_id TEXT NOT NULL,
  failed_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, agent_id, mandate_id)
) ${strict};

CREATE TABLE agent_locks (
  site_key_hash TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  locked_until ${integer} NOT NULL,
  times ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, agent_id)
) ${strict};
`,
};
