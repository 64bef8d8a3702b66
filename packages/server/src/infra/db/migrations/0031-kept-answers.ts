import type { Migration } from "../migration.js";

/**
 * - kept_answers: the answers to mandates of a deleted site, for agents that send one again. One row for
 *   each key of the agent. `x` is the public key, `digest` the digest of the signed bytes. `answer` is
 *   null if a person had not decided yet. Nothing else of the site or its buyers is kept.
 */
export const keptAnswers: Migration = {
  name: "kept-answers",
  sql: ({ integer, strict }) => `
CREATE TABLE kept_answers (
  site_key_hash TEXT NOT NULL,
  kid TEXT NOT NULL,
  mandate_id TEXT NOT NULL,
  x TEXT NOT NULL,
  key_status TEXT NOT NULL CHECK (key_status IN ('active', 'revoked')),
  digest TEXT NOT NULL,
  answer TEXT,
  kept_until ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, kid, mandate_id)
) ${strict};

CREATE INDEX kept_answers_by_time ON kept_answers (kept_until);
`,
};
