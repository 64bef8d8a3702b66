import { webName } from "../../web-name.js";
import type { Migration } from "../migration.js";

/**
 * - platforms: the owner's list, and platforms that have called.
 * - agents.identity: what an agent counts as. An agent that was approved automatically counts as the
 *   domain of its key source, so all such agents of a domain share limits.
 */
export const platforms: Migration = {
  name: "platforms",
  sql: ({ integer, strict }) => `
CREATE TABLE platforms (
  site_key_hash TEXT NOT NULL,
  identity TEXT NOT NULL,
  domain TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('seen', 'admitted', 'suspended')),
  name TEXT,
  note TEXT,
  profile_url TEXT,
  first_seen_at ${integer},
  last_seen_at ${integer},
  created_at ${integer} NOT NULL,
  changed_by TEXT,
  changed_at ${integer},
  PRIMARY KEY (site_key_hash, identity)
) ${strict};

CREATE INDEX platforms_by_domain ON platforms (site_key_hash, domain);

ALTER TABLE agents ADD COLUMN identity TEXT NOT NULL DEFAULT '';

UPDATE agents SET identity = agent_id;

CREATE INDEX agents_by_identity ON agents (site_key_hash, identity);
`,
  async fill(tx) {
    // It is active and nobody has changed it since it registered, so it was approved automatically.
    const admitted = await tx.all<{ agent_id: string; key_source: string }>(
      `SELECT agent_id, key_source FROM agents WHERE source = 'self' AND status = 'active'
         AND changed_by IS NULL AND key_source IS NOT NULL`,
    );
    for (const { agent_id, key_source } of admitted) {
      const { url } = JSON.parse(key_source) as { url: string };
      const identity = webName(url)?.domain;
      if (identity === undefined) continue;
      await tx.run("UPDATE agents SET identity = ? WHERE agent_id = ?", identity, agent_id);
    }
  },
};
