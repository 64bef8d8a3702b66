import type { Transaction } from "../../../infra/db/database.js";
import { isAtLeast, type Role } from "../principal.js";
import type { Access } from "./person.js";
import { accessOf, deleteAccess, setAccess } from "./store.js";

/** In the name of a revocation: the person has no role at the site any more. */
const NO_ROLE = "none";

/** The role of a person at a site; null for none. */
export interface RoleAt extends Omit<Access, "role"> {
  readonly role: Role | null;
}

/** The name of a revocation that leaves a person this role. */
export const nameOfRole = ({ personId, site, role }: RoleAt) =>
  `${site}/${personId}/${role ?? NO_ROLE}`;

/** The role that the name of a revocation leaves to a person. */
export function roleNamed(id: string): RoleAt {
  const [site = "", personId = "", role = NO_ROLE] = id.split("/");
  return { personId, site, role: role === NO_ROLE ? null : (role as Role) };
}

/** Whether a person has more at a site than this role. */
export async function hasMore(tx: Transaction, { personId, site, role }: RoleAt): Promise<boolean> {
  const current = (await accessOf(tx, personId)).find((one) => one.site === site);
  return current !== undefined && (role === null || !isAtLeast(role, current.role));
}

/** Lowers the role of a person at a site, if they have more. */
export async function lowerRole(tx: Transaction, to: RoleAt): Promise<void> {
  const { personId, site, role } = to;
  if (!(await hasMore(tx, to))) return;
  if (role === null) await deleteAccess(tx, personId, site);
  else await setAccess(tx, { personId, site, role });
}
