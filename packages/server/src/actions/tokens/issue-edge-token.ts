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
import { type Actor, principalActor, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Transaction } from "../../infra/db/database.js";
import { commitAs, refused } from "../commit-as.js";
import { tokenDrafts } from "./token-record.js";

/** Live tokens of one site: one for each place that serves it, and others to replace them. */
const LIVE_EDGE_TOKENS_MAX = 20;

/** A token, and what is stored of it. */
export interface IssuedEdgeToken {
  readonly token: string;
  readonly stored: EdgeToken;
}

/** A new token for a site's edge, not stored yet. */
export function newEdgeToken(
  { clock, ids }: Pick<Context, "clock" | "ids">,
  named: Pick<EdgeToken, "siteKeyHash" | "name" | "createdBy">,
): IssuedEdgeToken {
  const token = EDGE_TOKEN_PREFIX + toBase64url(ids.bytes(TOKEN_BYTES));
  const tokenId = ids.id(EDGE_TOKEN_ID_PREFIX);
  return { token, stored: { tokenId, ...named, createdAt: clock.now(), revokedAt: null } };
}

/** Writes a token and returns the record of it. */
export async function writeEdgeToken(
  tx: Transaction,
  { token, stored }: IssuedEdgeToken,
  actor: Actor,
): Promise<RecordDraft[]> {
  await insertEdgeToken(tx, stored, tokenDigest(token));
  const recorded = { tokenId: stored.tokenId, role: "edge", sites: [stored.siteKeyHash] };
  return tokenDrafts("token.issued", recorded, { actor, now: stored.createdAt });
}

/** Makes a token for a site's edge and records it. It is returned once and kept only as a digest. */
export async function issueEdgeToken(
  context: Context,
  by: Principal,
  { siteKeyHash, name }: { readonly siteKeyHash: string; readonly name: string },
): Promise<Result<IssuedEdgeToken, "conflict" | "forbidden">> {
  const issued = newEdgeToken(context, { siteKeyHash, name, createdBy: by.id });
  return commitAs<IssuedEdgeToken, "conflict">(context, by, async (tx) => {
    if ((await countLiveEdgeTokens(tx, siteKeyHash)) >= LIVE_EDGE_TOKENS_MAX) {
      const most = `The site has ${LIVE_EDGE_TOKENS_MAX} live edge tokens, which is the limit. Revoke some first.`;
      return refused(refuse("conflict", most));
    }
    const records = await writeEdgeToken(tx, issued, principalActor(by));
    return { records, answer: ok(issued) };
  });
}
