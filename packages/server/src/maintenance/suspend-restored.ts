import { revokeAllEdgeTokens } from "../domain/access/edge/store.js";
import { voidPeople } from "../domain/access/people/remove.js";
import { endAllSessions } from "../domain/access/sessions/store.js";
import { revokeAllTokens } from "../domain/access/store.js";
import { suspendActiveAgents } from "../domain/agents/store.js";
import { revokeAllCredentials } from "../domain/platforms/credentials/store.js";
import { suspendAdmittedPlatforms } from "../domain/platforms/store.js";
import { pauseListed } from "../domain/products/feed/store.js";
import { connectedSites, deleteAllShopConnections } from "../domain/shop-connections/store.js";
import type { Queries } from "../infra/db/database.js";

/** The actor in rows that a restore changed. */
export const RESTORE_ACTOR = "restore";

/** How much a restore voided or suspended. */
export interface Suspended {
  /** With edge tokens, passkeys, the credentials of platforms, and the connections of shop systems. */
  readonly tokens: number;
  readonly agents: number;
  readonly platforms: number;
}

/** What came from a shop system is off sale with its connection. */
async function endShopConnections(tx: Queries, now: number): Promise<number> {
  for (const site of await connectedSites(tx)) await pauseListed(tx, site, now);
  return deleteAllShopConnections(tx);
}

/**
 * Voids every credential and suspends every agent and platform, because nobody can tell which of them were
 * revoked since. Runs in the transaction that writes the rows, so a crash leaves neither. The tables are
 * those of the backup's schema, which may be older than this build's.
 */
export async function suspendRestored(
  tx: Queries,
  tables: ReadonlySet<string>,
  now: number,
): Promise<Suspended> {
  const tokens = await revokeAllTokens(tx, now);
  const edges = tables.has("edge_tokens") ? await revokeAllEdgeTokens(tx, now) : 0;
  const keys = tables.has("platform_credentials") ? await revokeAllCredentials(tx, now) : 0;
  const shops = tables.has("shop_connections") ? await endShopConnections(tx, now) : 0;
  if (tables.has("console_sessions")) await endAllSessions(tx);
  const passkeys = tables.has("passkeys") ? await voidPeople(tx) : 0;
  const agents = tables.has("agents") ? await suspendActiveAgents(tx, RESTORE_ACTOR, now) : 0;
  const platforms = tables.has("platforms")
    ? await suspendAdmittedPlatforms(tx, RESTORE_ACTOR, now)
    : 0;
  return { tokens: tokens + edges + keys + shops + passkeys, agents, platforms };
}
