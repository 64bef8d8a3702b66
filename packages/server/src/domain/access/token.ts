/** From most to least powerful. A token can make tokens of its own role or below. */
export const ROLES = ["operator", "owner", "reviewer", "auditor"] as const;
export type Role = (typeof ROLES)[number];

export const TOKEN_PREFIX = "gha_";
export const TOKEN_BYTES = 32;
export const TOKEN_NAME_CHARS_MAX = 80;

/** An admin token as it is stored. The token itself is not stored. */
export interface Token {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
  /** Site key hashes it is limited to; null for all. */
  readonly sites: readonly string[] | null;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** The holder of a valid token. */
export interface Principal {
  readonly tokenId: string;
  readonly role: Role;
  readonly sites: readonly string[] | null;
}

export function hasRole(principal: Principal, role: Role): boolean {
  return ROLES.indexOf(principal.role) <= ROLES.indexOf(role);
}

export function maySee(principal: Principal, siteKeyHash: string): boolean {
  return principal.sites === null || principal.sites.includes(siteKeyHash);
}

export const EDGE_TOKEN_PREFIX = "ghe_";
/** The prefix of its id. */
export const EDGE_TOKEN_ID_PREFIX = "edg";

/** A token that may only report visits of one site. The token itself is not stored. */
export interface EdgeToken {
  readonly tokenId: string;
  readonly siteKeyHash: string;
  readonly name: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}
