import { ok, type Result, toBase64url, utf8 } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Principal } from "../../domain/access/principal.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { actorDraft, principalActor } from "../../domain/audit/drafts.js";
import { writeCode } from "../../domain/shop-connections/codes/store.js";
import { MINUTE_MS } from "../../infra/time.js";
import { commitAs } from "../commit-as.js";

const CODE_MS = 10 * MINUTE_MS;
const CODE_BYTES = 32;
const CONNECT_CODE_PREFIX = "ghc_";

/** A code that connects a shop system once. */
export interface NewCode {
  readonly code: string;
  /** The code with the address of this Gatehouse, for an owner to paste into the shop system. */
  readonly connectCode: string;
  readonly expiresAt: number;
}

/**
 * Makes a code for a site. Only its digest is stored, and an earlier code of the site stops working. A code for a shop
 * system that has asked for it works only with what its challenge is the SHA-256 of.
 */
export function createCode(
  context: Context,
  by: Principal,
  { siteKeyHash, challenge }: { readonly siteKeyHash: string; readonly challenge: string | null },
): Promise<Result<NewCode, "forbidden">> {
  const { clock, config, ids } = context;
  const now = clock.now();
  const expiresAt = now + CODE_MS;
  const code = toBase64url(ids.bytes(CODE_BYTES));
  const pasted = utf8(JSON.stringify({ url: config.baseUrl, code }));
  const connectCode = CONNECT_CODE_PREFIX + toBase64url(pasted);
  return commitAs<NewCode, never>(context, by, async (tx) => {
    const { kind, id, role } = by;
    const createdBy = { kind, id, role };
    const stored = { siteKeyHash, createdBy, challenge, attempts: 0, expiresAt };
    await writeCode(tx, { codeHash: tokenDigest(code), ...stored });
    const change = { kind: "shop_code_created" };
    const draft = actorDraft("site.changed", principalActor(by), now, { change });
    return { records: [{ ...draft, siteKeyHash }], answer: ok({ code, connectCode, expiresAt }) };
  });
}
