import { ok, type Result, refuse, toBase64url } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { hasRole, maySee, type Principal, type Role } from "../../domain/access/principal.js";
import { countLiveTokens, insertToken, tokenById } from "../../domain/access/store.js";
import { TOKEN_BYTES, TOKEN_PREFIX, type Token } from "../../domain/access/token.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { principalActor } from "../../domain/audit/drafts.js";
import { lockSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";
import { commitAs, refused } from "../commit-as.js";
import { tokenDrafts } from "./token-record.js";

/** Live tokens of one installation, so that a faulty program cannot make any number of them. */
const LIVE_TOKENS_MAX = 1000;

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  /** Site key hashes; null for every site. */
  readonly sites: readonly string[] | null;
  /** How many days it works; undefined for no expiry. */
  readonly days: number | undefined;
}

type Issued = { readonly token: string; readonly stored: Token };

/**
 * When a new token expires; null for never. Without a wish it lasts as long as the token that makes it, because one that outlives its
 * maker would make the maker's expiry worthless.
 */
async function expiryOf(
  tx: Transaction,
  by: Principal,
  { days }: NewToken,
  now: number,
): Promise<Result<number | null, "forbidden">> {
  const wished = days === undefined ? null : now + days * DAY_MS;
  const latest = (by.kind === "token" && (await tokenById(tx, by.id))?.expiresAt) || null;
  if (latest === null) return ok(wished);
  return wished === null || wished <= latest
    ? ok(wished ?? latest)
    : refuse("forbidden", "A token cannot create a token that expires later than itself.");
}

/** Makes a token and records it. It is returned once and kept only as a digest. */
export async function issueToken(
  context: Context,
  by: Principal,
  newToken: NewToken,
): Promise<Result<Issued, "forbidden" | "invalid_request" | "conflict">> {
  if (!hasRole(by, newToken.role)) {
    return refuse("forbidden", "A token cannot create a token with a higher role.");
  }
  if (newToken.role === "operator" && newToken.sites !== null) {
    return refuse(
      "invalid_request",
      "sites: not allowed for an operator, whose token is for all sites.",
    );
  }
  const forAll = newToken.role === "operator" || newToken.role === "auditor";
  if (!forAll && newToken.sites === null) {
    return refuse("invalid_request", "sites: must list the sites that this token is for.");
  }
  const within = newToken.sites?.every((hash) => maySee(by, hash)) ?? by.sites === null;
  if (!within) {
    return refuse("forbidden", "A token cannot create a token for sites that it cannot see.");
  }
  const { clock, ids } = context;
  const token = TOKEN_PREFIX + toBase64url(ids.bytes(TOKEN_BYTES));
  const { name, role, sites } = newToken;
  const createdAt = clock.now();
  const tokenId = ids.id("adm");
  const issued = { tokenId, name, role, sites, createdBy: by.id, createdAt, revokedAt: null };
  return commitAs<Issued, "conflict" | "invalid_request" | "forbidden">(context, by, async (tx) => {
    for (const hash of newToken.sites ?? []) {
      if (await lockSite(tx, hash)) continue;
      return refused(refuse("invalid_request", "sites: one of the sites does not exist."));
    }
    if ((await countLiveTokens(tx, createdAt)) >= LIVE_TOKENS_MAX) {
      const why = `There are ${LIVE_TOKENS_MAX} live tokens, which is the limit. Revoke some first.`;
      return refused(refuse("conflict", why));
    }
    const expiry = await expiryOf(tx, by, newToken, createdAt);
    if (!expiry.ok) return refused(expiry);
    const stored: Token = { ...issued, expiresAt: expiry.value };
    await insertToken(tx, stored, tokenDigest(token));
    const change = { actor: principalActor(by), now: createdAt };
    const records = tokenDrafts("token.issued", stored, change);
    return { records, answer: ok({ token, stored }) };
  });
}
