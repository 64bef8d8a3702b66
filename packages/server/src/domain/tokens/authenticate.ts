import { createHash, timingSafeEqual } from "node:crypto";
import type { Queries } from "../../infra/db/database.js";
import { liveTokenByDigest } from "./store.js";
import type { Principal } from "./token.js";

/** Tokens are 256 random bits, so one fast hash is enough: there is nothing to guess. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Whoever has the token the service was started with. */
export const OPERATOR: Principal = Object.freeze({
  tokenId: "operator",
  role: "operator",
  sites: null,
});

/** Who a token stands for, by its digest; undefined when it stands for nobody. */
export async function authenticate(
  db: Queries,
  digest: string,
  operatorDigest: string,
): Promise<Principal | undefined> {
  if (timingSafeEqual(Buffer.from(digest), Buffer.from(operatorDigest))) return OPERATOR;
  const token = await liveTokenByDigest(db, digest);
  return token && { tokenId: token.tokenId, role: token.role, sites: token.sites };
}
