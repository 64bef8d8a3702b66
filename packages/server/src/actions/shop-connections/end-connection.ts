import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { revokeEdgeToken } from "../../domain/access/edge/store.js";
import { type Actor, actorDraft, type RecordDraft } from "../../domain/audit/drafts.js";
import { insertRevocations, type Revocation } from "../../domain/revocations/store.js";
import type { ShopConnection } from "../../domain/shop-connections/shop-connection.js";
import { deleteShopConnection, siteConnection } from "../../domain/shop-connections/store.js";
import { deleteVersions } from "../../domain/shop-products/store.js";
import { deleteShopQuotes } from "../../domain/shop-quotes/store.js";
import { SITE_TOPIC } from "../../domain/sites/site.js";
import type { Transaction } from "../../infra/db/database.js";
import { tokenDrafts } from "../tokens/token-record.js";
import { pauseOfShop } from "./take-over-products.js";

export const NO_CONNECTION = refuse("not_found", "The site is not connected to a shop system.");

/** Ends a connection and its edge token in a transaction, and returns the records. */
export async function endConnection(
  { clock }: Context,
  tx: Transaction,
  { siteKeyHash, connectionId, edgeTokenId }: ShopConnection,
  actor: Actor,
): Promise<RecordDraft[]> {
  const now = clock.now();
  await deleteShopConnection(tx, siteKeyHash);
  // Its discount codes are no longer offered.
  tx.announce(SITE_TOPIC, siteKeyHash);
  await deleteVersions(tx, siteKeyHash);
  await deleteShopQuotes(tx, siteKeyHash);
  const change = { kind: "shop_disconnected", connection_id: connectionId };
  const records = [actorDraft("site.changed", actor, now, { change })];
  const ended: Revocation[] = [{ kind: "shop_connection", id: connectionId, revokedAt: now }];
  if (await revokeEdgeToken(tx, edgeTokenId, now)) {
    ended.push({ kind: "edge_token", id: edgeTokenId, revokedAt: now });
    const token = { tokenId: edgeTokenId, role: "edge", sites: [siteKeyHash] };
    records.push(...tokenDrafts("token.revoked", token, { actor, now }));
  }
  await insertRevocations(tx, ended);
  return records;
}

/**
 * Ends the connection of a site, or only the one with an id: a message that was under way when the shop connected
 * again must not end the new connection. Its products are paused, because nobody knows their stock any more; they come back
 * with the next connection, or when the owner puts them on sale. Purchases that are being paid for end without an
 * order unless the shop system has reserved the goods already.
 */
export async function disconnectShop(
  context: Context,
  siteKeyHash: string,
  actor: Actor,
  connectionId?: string,
): Promise<Result<null, "not_found">> {
  type Answer = Result<null, "not_found">;
  const { answer } = await context.audit.commit<Answer>(siteKeyHash, async (tx) => {
    const connection = await siteConnection(tx, siteKeyHash);
    const isOther = connectionId !== undefined && connection?.connectionId !== connectionId;
    if (connection === undefined || isOther) return { records: [], answer: NO_CONNECTION };
    const records = await endConnection(context, tx, connection, actor);
    if (connection.sells) await pauseOfShop(tx, siteKeyHash, context.clock.now());
    return { records, answer: ok(null) };
  });
  await context.revocations.write();
  return answer;
}
