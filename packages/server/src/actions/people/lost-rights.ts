import type { Context } from "../../context.js";
import { liveDescendants } from "../../domain/access/descent/store.js";
import { hasMore, nameOfRole, type RoleAt } from "../../domain/access/people/lower-role.js";
import { EVERY_SITE } from "../../domain/access/people/person.js";
import { endSignIn } from "../../domain/access/people/remove.js";
import { isAtLeast, type Principal, type Role } from "../../domain/access/principal.js";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import { insertRevocations } from "../../domain/revocations/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { revokeAll } from "../tokens/revoke-token.js";

/** Lists a role that is about to be lowered or taken among the revocations, so that no older backup brings it back. */
export async function keepLoweredRole(
  { clock }: Context,
  tx: Transaction,
  after: RoleAt,
): Promise<void> {
  if (!(await hasMore(tx, after))) return;
  const revokedAt = clock.now();
  await insertRevocations(tx, [{ kind: "person_role", id: nameOfRole(after), revokedAt }]);
}

/** Takes every way to sign in from a person, and signs them out. No older backup brings it back. */
export async function resetSignIn(
  { clock }: Context,
  tx: Transaction,
  personId: string,
): Promise<void> {
  await endSignIn(tx, personId);
  const revokedAt = clock.now();
  await insertRevocations(tx, [{ kind: "person_sign_in", id: personId, revokedAt }]);
}

/**
 * Revokes the tokens that a person made for a site, where they have more rights than the person has there now.
 * `role` is undefined for somebody without access.
 */
export async function revokeMade(
  context: Context,
  tx: Transaction,
  by: Principal,
  { personId, site, role }: { personId: string; site: string; role?: Role },
): Promise<RecordDraft[]> {
  const tokens = await liveDescendants(tx, personId, context.clock.now());
  const above = tokens.filter((token) => {
    const reaches = site === EVERY_SITE || (token.sites?.includes(site) ?? true);
    // An edge token only reports visits, which is for owners to give.
    const needed = token.role === "edge" ? "owner" : (token.role as Role);
    return reaches && (role === undefined || !isAtLeast(role, needed));
  });
  return revokeAll(context, tx, above, { by, ancestor: personId });
}
