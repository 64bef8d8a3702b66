import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import type { PlatformCredential } from "../../domain/platforms/credentials/credential.js";
import {
  credentialById,
  revokeCredential as markRevoked,
  listCredentials as selectCredentials,
} from "../../domain/platforms/credentials/store.js";
import { platformByIdentity } from "../../domain/platforms/store.js";
import { insertRevocations } from "../../domain/revocations/store.js";
import { hostNamed, NOT_LISTED } from "./read-platforms.js";

/** A platform's credentials, the newest first, with those that ended a short time ago. */
export async function listCredentials(
  { db }: Context,
  siteKeyHash: string,
  named: string,
): Promise<Result<readonly PlatformCredential[], "not_found">> {
  const platform = hostNamed(named);
  const entry = await platformByIdentity(db, siteKeyHash, platform);
  if (entry === undefined) return refuse("not_found", NOT_LISTED);
  return ok(await selectCredentials(db, siteKeyHash, platform));
}

/**
 * Revokes a credential at once on every node, with every access token that was issued for it. Idempotent: one
 * that was revoked before leaves no record.
 */
export async function revokeCredential(
  { audit, clock, revocations }: Context,
  siteKeyHash: string,
  { named, credentialId }: { readonly named: string; readonly credentialId: string },
  actor: Actor,
): Promise<Result<true, "not_found">> {
  const platform = hostNamed(named);
  type Answer = Result<true, "not_found">;
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx) => {
    const now = clock.now();
    const credential = await credentialById(tx, siteKeyHash, credentialId);
    if (credential === undefined || credential.platform !== platform) {
      const none = refuse("not_found", "The platform has no such credential.");
      return { records: [], answer: none };
    }
    if (!(await markRevoked(tx, credentialId, now))) return { records: [], answer: ok(true) };
    await insertRevocations(tx, [
      { kind: "platform_credential", id: credentialId, revokedAt: now },
    ]);
    const change = {
      kind: "platform_credential_revoked",
      platform,
      credential_id: credentialId,
      credential_kind: credential.kind,
    };
    return {
      records: [actorDraft("site.changed", actor, now, { change })],
      answer: ok(true),
    };
  });
  if (answer.ok) await revocations.write();
  return answer;
}
