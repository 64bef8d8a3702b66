import { endKey, revokeAgent } from "../owners/agents/store.js";
import { suspendPlatform } from "../owners/platforms/store.js";
import { partsOf, type Revocation } from "../owners/revocations/revocation.js";
import { revokeEdgeToken } from "../owners/tokens/edge/store.js";
import { revokeToken } from "../owners/tokens/store.js";
import type { Transaction } from "../platform/db/database.js";

/** Where each kind of revocation holds. */
const TABLES: Readonly<Record<Revocation["kind"], string>> = {
  token: "admin_tokens",
  edge_token: "edge_tokens",
  agent: "agents",
  agent_key: "agent_keys",
  platform: "platforms",
};

/** Who did it, in rows that a list of revocations changed. */
const BY = "revocations";

async function applyOne(tx: Transaction, { kind, id, revokedAt }: Revocation): Promise<void> {
  const [site, rest] = partsOf(id);
  switch (kind) {
    case "token":
      await revokeToken(tx, id, revokedAt);
      return;
    case "edge_token":
      await revokeEdgeToken(tx, id, revokedAt);
      return;
    case "agent":
      await revokeAgent(tx, id, { by: BY, at: revokedAt });
      return;
    case "agent_key":
      await endKey(tx, site, rest, "revoked");
      return;
    case "platform":
      await suspendPlatform(tx, site, rest, { by: BY, at: revokedAt });
  }
}

/**
 * Makes revocations hold in the tables they are about. What is not there stays away: ids are never
 * given out again. `tables` are those there are, where the schema may be older than this build's.
 */
export async function applyRevocations(
  tx: Transaction,
  revocations: readonly Revocation[],
  tables?: ReadonlySet<string>,
): Promise<void> {
  for (const one of revocations) {
    if (tables === undefined || tables.has(TABLES[one.kind])) await applyOne(tx, one);
  }
}
