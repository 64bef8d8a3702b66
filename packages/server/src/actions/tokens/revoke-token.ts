import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Descendant, liveDescendants } from "../../domain/access/descent/store.js";
import { edgeTokenById, revokeEdgeToken } from "../../domain/access/edge/store.js";
import { maySee, type Principal } from "../../domain/access/principal.js";
import { revokeToken as markRevoked, tokenById } from "../../domain/access/store.js";
import { EDGE_TOKEN_ID_PREFIX } from "../../domain/access/token.js";
import { principalActor, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Revocation } from "../../domain/revocations/store.js";
import { insertRevocations } from "../../domain/revocations/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { commitAs, refused } from "../commit-as.js";
import { inWritableLogs, type RecordedToken, tokenDrafts } from "./token-record.js";

const NONE = refuse("not_found", "There is no token with this id that you can revoke.");

const isEdge = (tokenId: string) => tokenId.startsWith(`${EDGE_TOKEN_ID_PREFIX}_`);

/** A principal may revoke the tokens that it could have made. */
function reaches(principal: Principal, sites: readonly string[] | null): boolean {
  if (principal.sites === null) return true;
  return sites?.every((siteKeyHash) => maySee(principal, siteKeyHash)) ?? false;
}

/** A token that the actor may see, including edge tokens. */
async function findToken(
  db: Queries,
  by: Principal,
  tokenId: string,
): Promise<RecordedToken | undefined> {
  const edge = isEdge(tokenId) ? await edgeTokenById(db, tokenId) : undefined;
  const token = edge
    ? { tokenId, role: "edge", sites: [edge.siteKeyHash] }
    : await tokenById(db, tokenId);
  return token && reaches(by, token.sites) ? token : undefined;
}

/** The live tokens that descend from a token. They never have more rights than it has. */
export async function listDescendants(
  { clock, db }: Context,
  by: Principal,
  tokenId: string,
): Promise<Result<readonly Descendant[], "not_found">> {
  if ((await findToken(db, by, tokenId)) === undefined) return NONE;
  return ok(await liveDescendants(db, tokenId, clock.now()));
}

/**
 * Revokes tokens in a transaction: marks them, lists them among the revocations, and returns the records. A
 * token that was revoked before leaves none. `ancestor`: the token or person they descend from.
 */
export async function revokeAll(
  { audit, clock }: Context,
  tx: Transaction,
  tokens: readonly RecordedToken[],
  { by, ancestor }: { readonly by: Principal; readonly ancestor: string },
): Promise<RecordDraft[]> {
  const now = clock.now();
  const actor = principalActor(by);
  const drafts: RecordDraft[] = [];
  const revoked: Revocation[] = [];
  for (const one of tokens) {
    const mark = isEdge(one.tokenId) ? revokeEdgeToken : markRevoked;
    if (!(await mark(tx, one.tokenId, now))) continue;
    const kind = isEdge(one.tokenId) ? "edge_token" : "token";
    revoked.push({ kind, id: one.tokenId, revokedAt: now });
    const from = one.tokenId === ancestor ? undefined : ancestor;
    drafts.push(...tokenDrafts("token.revoked", one, { actor, now, ancestor: from }));
  }
  await insertRevocations(tx, revoked);
  return inWritableLogs(audit, tx, drafts);
}

/**
 * Revokes a token, also an edge token, at once on every node. `descendants` also revokes every token that was
 * made with it or with one of those. Idempotent: a token that was revoked before leaves no record.
 */
export async function revokeToken(
  context: Context,
  by: Principal,
  tokenId: string,
  { descendants }: { readonly descendants: boolean },
): Promise<Result<true, "not_found" | "forbidden">> {
  const answer = await commitAs<true, "not_found">(context, by, async (tx) => {
    const token = await findToken(tx, by, tokenId);
    if (token === undefined) return refused(NONE);
    const others = descendants ? await liveDescendants(tx, tokenId, context.clock.now()) : [];
    const revocation = { by, ancestor: tokenId };
    const records = await revokeAll(context, tx, [token, ...others], revocation);
    return { records, answer: ok(true) };
  });
  await context.revocations.write();
  return answer;
}
