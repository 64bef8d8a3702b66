import type { Role } from "./principal.js";

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
