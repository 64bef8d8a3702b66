/** From most to least powerful. Nobody can give a role above their own. */
export const ROLES = ["operator", "owner", "reviewer", "auditor"] as const;
export type Role = (typeof ROLES)[number];

/** The holder of the token that the service was started with, in records. */
export const OPERATOR_ID = "operator";

/** Who sends a request, and what they may do. */
export interface Principal {
  /** In records: the id of a token or of a person. */
  readonly id: string;
  readonly kind: "token" | "person";
  /** The most powerful role, at any site. */
  readonly role: Role;
  /** The sites that the principal can see; null for all. */
  readonly sites: readonly string[] | null;
  /** A person's role at each of those sites; absent if the role is the same everywhere. */
  readonly siteRoles?: Readonly<Record<string, Role>>;
  /** The last time a person proved with a passkey who they are; null if this session has no such proof. */
  readonly confirmedAt?: number | null;
}

export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed);
}

export function hasRole(principal: Principal, role: Role): boolean {
  return isAtLeast(principal.role, role);
}

export function maySee(principal: Principal, siteKeyHash: string): boolean {
  return principal.sites === null || principal.sites.includes(siteKeyHash);
}

/** The principal at one site, with the role they have there. */
export function atSite(principal: Principal, siteKeyHash: string): Principal {
  const { siteRoles, ...rest } = principal;
  const role = siteRoles?.[siteKeyHash];
  return role === undefined ? principal : { ...rest, role, sites: [siteKeyHash] };
}

/** The principal without the sites where they have less than a role. */
export function limitedTo(principal: Principal, needed: Role): Principal {
  const { siteRoles, sites, role } = principal;
  if (siteRoles === undefined || sites === null || !isAtLeast(role, needed)) return principal;
  const kept = sites.filter((site) => isAtLeast(siteRoles[site] ?? "auditor", needed));
  return { ...principal, sites: kept };
}
