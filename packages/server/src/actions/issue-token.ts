import { ok, type Result, refuse, toBase64url } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { siteByHash } from "../owners/sites/store.js";
import { tokenDigest } from "../owners/tokens/authenticate.js";
import { countLiveTokens, insertToken } from "../owners/tokens/store.js";
import {
  hasRole,
  maySee,
  type Principal,
  type Role,
  TOKEN_BYTES,
  TOKEN_PREFIX,
  type Token,
} from "../owners/tokens/token.js";

/** Live tokens of one installation; a program that mints without end stops here. */
const LIVE_TOKENS_MAX = 1000;

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  /** Site key hashes; null for every site. */
  readonly sites: readonly string[] | null;
}

/** Makes a token. It is returned once and kept only as a digest. */
export async function issueToken(
  { clock, ids, db }: Context,
  by: Principal,
  wanted: NewToken,
): Promise<Result<{ token: string; stored: Token }, "forbidden" | "invalid_request" | "conflict">> {
  if (!hasRole(by, wanted.role)) {
    return refuse("forbidden", "A token cannot make one of a higher role than its own.");
  }
  if (wanted.role === "operator" && wanted.sites !== null) {
    return refuse("invalid_request", "sites: an operator's token is for every site.");
  }
  if (wanted.role !== "operator" && wanted.sites === null) {
    return refuse("invalid_request", "sites: name the sites this token is for.");
  }
  if (!(wanted.sites ?? []).every((hash) => maySee(by, hash))) {
    return refuse("forbidden", "A token cannot make one for sites it may not see.");
  }
  for (const hash of wanted.sites ?? []) {
    if ((await siteByHash(db, hash)) === undefined) {
      return refuse("invalid_request", "sites: one of the sites does not exist.");
    }
  }
  const token = TOKEN_PREFIX + toBase64url(ids.bytes(TOKEN_BYTES));
  const stored: Token = {
    tokenId: ids.id("adm"),
    ...wanted,
    createdBy: by.tokenId,
    createdAt: clock.now(),
    revokedAt: null,
  };
  return db.transaction(async (tx) => {
    if ((await countLiveTokens(tx)) >= LIVE_TOKENS_MAX) {
      return refuse("conflict", `There are ${LIVE_TOKENS_MAX} live tokens: revoke some first.`);
    }
    await insertToken(tx, stored, tokenDigest(token));
    return ok({ token, stored });
  });
}
