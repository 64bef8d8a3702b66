import type { Context } from "../../context.js";
import { hasMore, nameOfRole, type RoleAt } from "../../domain/access/people/lower-role.js";
import { endSignIn } from "../../domain/access/people/remove.js";
import { insertRevocations } from "../../domain/revocations/store.js";
import type { Transaction } from "../../infra/db/database.js";

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
