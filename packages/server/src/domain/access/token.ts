import type { Role } from "./principal.js";

export const TOKEN_PREFIX = "gha_";
export const TOKEN_BYTES = 32;
export const TOKEN_NAME_CHARS_MAX = 80;
/** The longest life of a token that expires. */
export const TOKEN_DAYS_MAX = 3650;

/** An admin token as it is stored. The token itself is not stored. */
export interface Token {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
  /** Site key hashes it is limited to; null for all. */
  readonly sites: readonly string[] | null;
  readonly createdBy: string;
  readonly createdAt: number;
  /** From when it no longer works; null for never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** Whether a token still gives its rights. */
export function isLiveToken(
  { expiresAt, revokedAt }: Pick<Token, "expiresAt" | "revokedAt">,
  now: number,
): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
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
