import { ok, type Result, refuse, toBase64url } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { countLiveEdgeTokens, insertEdgeToken } from "../../domain/access/edge/store.js";
import type { Principal } from "../../domain/access/principal.js";
import {
  EDGE_TOKEN_ID_PREFIX,
  EDGE_TOKEN_PREFIX,
  type EdgeToken,
  TOKEN_BYTES,
} from "../../domain/access/token.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { principalActor } from "../../domain/audit/drafts.js";
import { commitAs, refused } from "../commit-as.js";
import { tokenDrafts } from "./token-record.js";

/** Live tokens of one site: one for each place that serves it, and others to replace them. */
const LIVE_EDGE_TOKENS_MAX = 20;

type Issued = { readonly token: string; readonly stored: EdgeToken };

/** Makes a token for a site's edge and records it. It is returned once and kept only as a digest. */
export async function issueEdgeToken(
  context: Context,
  by: Principal,
  { siteKeyHash, name }: { readonly siteKeyHash: string; readonly name: string },
): Promise<Result<Issued, "conflict" | "forbidden">> {
  const { clock, ids } = context;
  const token = EDGE_TOKEN_PREFIX + toBase64url(ids.bytes(TOKEN_BYTES));
  const stored: EdgeToken = {
    tokenId: ids.id(EDGE_TOKEN_ID_PREFIX),
    siteKeyHash,
    name,
    createdBy: by.id,
    createdAt: clock.now(),
    revokedAt: null,
  };
  return commitAs<Issued, "conflict">(context, by, async (tx) => {
    if ((await countLiveEdgeTokens(tx, siteKeyHash)) >= LIVE_EDGE_TOKENS_MAX) {
      const most = `The site has ${LIVE_EDGE_TOKENS_MAX} live edge tokens, which is the limit. Revoke some first.`;
      return refused(refuse("conflict", most));
    }
    await insertEdgeToken(tx, stored, tokenDigest(token));
    const recorded = { tokenId: stored.tokenId, role: "edge", sites: [siteKeyHash] };
    const change = { actor: principalActor(by), now: stored.createdAt };
    const records = tokenDrafts("token.issued", recorded, change);
    return { records, answer: ok({ token, stored }) };
  });
}
