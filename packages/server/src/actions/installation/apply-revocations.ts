import { revokeEdgeToken } from "../../domain/access/edge/store.js";
import { deletePasskeyById } from "../../domain/access/passkeys/store.js";
import { lowerRole, roleNamed } from "../../domain/access/people/lower-role.js";
import { endSignIn, removePerson } from "../../domain/access/people/remove.js";
import { revokeToken } from "../../domain/access/store.js";
import { endKey } from "../../domain/agents/keys/store.js";
import { revokeAgent } from "../../domain/agents/store.js";
import { requestErasure } from "../../domain/buyers/store.js";
import { revokeCredential } from "../../domain/platforms/credentials/store.js";
import { suspendPlatform } from "../../domain/platforms/store.js";
import { pauseListed } from "../../domain/products/feed/store.js";
import { type Revocation, splitSiteScopedId } from "../../domain/revocations/store.js";
import { deleteShopConnection, shopConnectionById } from "../../domain/shop-connections/store.js";
import { domainOfSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { webName } from "../../infra/web-name.js";

/** The table of each kind of revocation. */
const TABLES: Readonly<Record<Revocation["kind"], string>> = {
  token: "admin_tokens",
  edge_token: "edge_tokens",
  agent: "agents",
  agent_key: "agent_keys",
  platform: "platforms",
  platform_credential: "platform_credentials",
  person: "people",
  buyer: "erased_buyers",
  person_role: "person_access",
  person_sign_in: "passkeys",
  passkey: "passkeys",
  shop_connection: "shop_connections",
};

/** The actor in rows that a list of revocations changed. */
const BY = "revocations";

async function applyOne(tx: Transaction, { kind, id, revokedAt }: Revocation): Promise<void> {
  const [site, rest] = splitSiteScopedId(id);
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
      await suspendNamed(tx, site, rest, revokedAt);
      return;
    case "platform_credential":
      await revokeCredential(tx, id, revokedAt);
      return;
    case "person":
      await removePerson(tx, id, revokedAt);
      return;
    case "buyer":
      await requestErasure(tx, { siteKeyHash: site, buyerMac: rest, requestedAt: revokedAt });
      return;
    case "person_role":
      await lowerRole(tx, roleNamed(id));
      return;
    case "person_sign_in":
      await endSignIn(tx, id);
      return;
    case "passkey":
      await deletePasskeyById(tx, id);
      return;
    case "shop_connection":
      await endShopConnection(tx, id, revokedAt);
  }
}

/** What came from a shop system is off sale with it. */
async function endShopConnection(tx: Transaction, connectionId: string, at: number): Promise<void> {
  const connection = await shopConnectionById(tx, connectionId);
  if (connection === undefined) return;
  if (connection.sells) await pauseListed(tx, connection.siteKeyHash, at);
  await deleteShopConnection(tx, connection.siteKeyHash);
}

/** A platform can return by calling again, so it is suspended even if the list does not have it. */
async function suspendNamed(
  tx: Transaction,
  siteKeyHash: string,
  identity: string,
  at: number,
): Promise<void> {
  if ((await domainOfSite(tx, siteKeyHash)) === undefined) return;
  const domain = webName(`https://${identity}/`)?.domain ?? identity;
  await suspendPlatform(tx, { siteKeyHash, identity, domain }, { by: BY, at });
}

/** The revocations that a schema knows. A restored one may be older than this build's. */
export function knownRevocations(
  revocations: readonly Revocation[],
  tables: ReadonlySet<string>,
): readonly Revocation[] {
  return revocations.filter(({ kind }) => tables.has(TABLES[kind]));
}

/**
 * Applies revocations to their tables. Other ids that a table does not have need nothing: no id is given
 * out again, and a revoked key cannot be registered.
 */
export async function applyRevocations(
  tx: Transaction,
  revocations: readonly Revocation[],
): Promise<void> {
  for (const one of revocations) await applyOne(tx, one);
}
