import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { revokeToken as markRevoked, tokenById } from "../owners/tokens/store.js";
import { maySee, type Principal, type Token } from "../owners/tokens/token.js";

/** A token is within reach of a principal who could have made it. */
function reaches(principal: Principal, token: Token): boolean {
  if (principal.sites === null) return true;
  return token.sites?.every((siteKeyHash) => maySee(principal, siteKeyHash)) ?? false;
}

/** Revokes a token, at once and on every node. Safe to repeat. */
export async function revokeToken(
  { db, clock }: Context,
  by: Principal,
  tokenId: string,
): Promise<Result<true, "not_found">> {
  const token = await tokenById(db, tokenId);
  if (token === undefined || !reaches(by, token)) {
    return refuse("not_found", "No token of yours has this id.");
  }
  await markRevoked(db, tokenId, clock.now());
  return ok(true);
}
