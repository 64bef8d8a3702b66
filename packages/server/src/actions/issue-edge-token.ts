import { ok, type Result, refuse, toBase64url } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { tokenDigest } from "../owners/tokens/authenticate.js";
import {
  EDGE_TOKEN_ID_PREFIX,
  EDGE_TOKEN_PREFIX,
  type EdgeToken,
} from "../owners/tokens/edge/edge-token.js";
import { countLiveEdgeTokens, insertEdgeToken } from "../owners/tokens/edge/store.js";
import { type Principal, TOKEN_BYTES } from "../owners/tokens/token.js";

/** Live tokens of one site: a few places the same site is served from, and one to change over to. */
const LIVE_EDGE_TOKENS_MAX = 20;

/** Makes a token for a site's edge. It is returned once and kept only as a digest. */
export async function issueEdgeToken(
  { clock, ids, db }: Context,
  by: Principal,
  { siteKeyHash, name }: { readonly siteKeyHash: string; readonly name: string },
): Promise<Result<{ token: string; stored: EdgeToken }, "conflict">> {
  const token = EDGE_TOKEN_PREFIX + toBase64url(ids.bytes(TOKEN_BYTES));
  const stored: EdgeToken = {
    ...{ tokenId: ids.id(EDGE_TOKEN_ID_PREFIX), siteKeyHash, name },
    ...{ createdBy: by.tokenId, createdAt: clock.now(), revokedAt: null },
  };
  return db.transaction(async (tx) => {
    if ((await countLiveEdgeTokens(tx, siteKeyHash)) >= LIVE_EDGE_TOKENS_MAX) {
      const most = `The site has ${LIVE_EDGE_TOKENS_MAX} live edge tokens: revoke some first.`;
      return refuse("conflict", most);
    }
    await insertEdgeToken(tx, stored, tokenDigest(token));
    return ok({ token, stored });
  });
}
