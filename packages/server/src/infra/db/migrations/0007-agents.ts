import type { Migration } from "../migration.js";

/**
 * - agents: who may ask a site for something. Names and addresses are claimed unless an owner wrote
 *   them. `scopes` null: everything may be asked for. `expires_at`: a pending one is forgotten then.
 * - agent_keys: the keys they sign with; a key is one agent's of a site. `not_after`: while another
 *   takes over.
 * - mandate_settings: what an owner set about mandates; a site without a row has the defaults.
 */
export const agents: Migration = {
  name: "agents",
  sql: ({ integer, strict }) => `
CREATE TABLE agents (
  agent_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  name TEXT NOT NULL,
  contact TEXT,
  operator_url TEXT,
  key_source TEXT,
  source TEXT NOT NULL CHECK (source IN ('admin', 'self')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'suspended', 'revoked', 'rejected')),
  scopes TEXT,
  requested_scopes TEXT NOT NULL,
  tags TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  changed_by TEXT,
  changed_at ${integer},
  expires_at ${integer}
) ${strict};

CREATE INDEX agents_by_site ON agents (site_key_hash, created_at, agent_id);

CREATE TABLE agent_keys (
  site_key_hash TEXT NOT NULL,
  kid TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  x TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'revoked')),
  created_at ${integer} NOT NULL,
  not_after ${integer},
  PRIMARY KEY (site_key_hash, kid)
) ${strict};

CREATE INDEX agent_keys_by_agent ON agent_keys (agent_id);

CREATE TABLE mandate_settings (
  site_key_hash TEXT PRIMARY KEY,
  enabled ${integer} NOT NULL,
  life_ms ${integer} NOT NULL,
  auto_admit TEXT NOT NULL
) ${strict};
`,
};
