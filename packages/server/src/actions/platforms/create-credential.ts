import { ok, type Result, refuse, toBase64url } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import {
  CREDENTIAL_DAYS,
  CREDENTIAL_ID_PREFIXES,
  type CredentialKind,
  LIVE_CREDENTIALS_MAX,
  type PlatformCredential,
  SECRET_BYTES,
  SECRET_PREFIXES,
} from "../../domain/platforms/credentials/credential.js";
import {
  countLiveCredentials,
  deleteEndedCredentials,
  insertCredential,
} from "../../domain/platforms/credentials/store.js";
import { platformByIdentity } from "../../domain/platforms/store.js";
import { DAY_MS } from "../../infra/time.js";
import { hostNamed, NOT_LISTED } from "./read-platforms.js";

export interface NewCredential {
  readonly kind: CredentialKind;
  readonly days?: number | undefined;
}

interface Created {
  /** Returned once and kept only as a digest. */
  readonly secret: string;
  readonly credential: PlatformCredential;
}

const NOT_ADMITTED = "Only an admitted platform can have credentials. Admit it first.";
const TOO_MANY = `The platform already has ${LIVE_CREDENTIALS_MAX} valid credentials of this kind. Revoke one first.`;

/** Makes an API key or an OAuth client for an admitted platform, and records it. */
export async function createCredential(
  { audit, clock, ids }: Context,
  siteKeyHash: string,
  named: string,
  { kind, days = CREDENTIAL_DAYS }: NewCredential,
  actor: Actor,
): Promise<Result<Created, "not_found" | "conflict">> {
  const secret = SECRET_PREFIXES[kind] + toBase64url(ids.bytes(SECRET_BYTES));
  const credentialId = ids.id(CREDENTIAL_ID_PREFIXES[kind]);
  const platform = hostNamed(named);
  type Answer = Result<Created, "not_found" | "conflict">;
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx) => {
    const now = clock.now();
    const entry = await platformByIdentity(tx, siteKeyHash, platform);
    if (entry === undefined) return { records: [], answer: refuse("not_found", NOT_LISTED) };
    if (entry.status !== "admitted") {
      return { records: [], answer: refuse("conflict", NOT_ADMITTED) };
    }
    const credential: PlatformCredential = {
      credentialId,
      siteKeyHash,
      platform,
      kind,
      createdBy: actor.id,
      createdAt: now,
      expiresAt: now + days * DAY_MS,
      lastUsedAt: null,
      revokedAt: null,
    };
    await deleteEndedCredentials(tx, credential, now);
    if ((await countLiveCredentials(tx, credential, now)) >= LIVE_CREDENTIALS_MAX) {
      return { records: [], answer: refuse("conflict", TOO_MANY) };
    }
    await insertCredential(tx, credential, tokenDigest(secret));
    const change = {
      kind: "platform_credential_created",
      platform,
      credential_id: credentialId,
      credential_kind: kind,
    };
    const record = actorDraft("site.changed", actor, now, { change });
    return { records: [record], answer: ok({ secret, credential }) };
  });
  return answer;
}
