import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { EDGE_TOKEN_ID_PREFIX } from "../owners/tokens/edge/edge-token.js";
import { edgeTokenById, revokeEdgeToken } from "../owners/tokens/edge/store.js";
import { revokeToken as markRevoked, tokenById } from "../owners/tokens/store.js";
import { maySee, type Principal } from "../owners/tokens/token.js";

/** A token is within reach of a principal who could have made it. */
function reaches(principal: Principal, sites: readonly string[] | null): boolean {
  if (principal.sites === null) return true;
  return sites?.every((siteKeyHash) => maySee(principal, siteKeyHash)) ?? false;
}

/** Revokes a token, an edge's included, at once and on every node. Safe to repeat. */
export async function revokeToken(
  { db, clock }: Context,
  by: Principal,
  tokenId: string,
): Promise<Result<true, "not_found">> {
  const none = refuse("not_found", "No token of yours has this id.");
  if (tokenId.startsWith(`${EDGE_TOKEN_ID_PREFIX}_`)) {
    const token = await edgeTokenById(db, tokenId);
    if (token === undefined || !reaches(by, [token.siteKeyHash])) return none;
    await revokeEdgeToken(db, tokenId, clock.now());
    return ok(true);
  }
  const token = await tokenById(db, tokenId);
  if (token === undefined || !reaches(by, token.sites)) return none;
  await markRevoked(db, tokenId, clock.now());
  return ok(true);
}
