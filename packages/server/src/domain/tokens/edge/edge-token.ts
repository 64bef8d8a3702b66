export const EDGE_TOKEN_PREFIX = "ghe_";
/** Of its id, by which it is listed and revoked. */
export const EDGE_TOKEN_ID_PREFIX = "edg";

/** A token that may report visits of one site, and nothing else. Stored without the token itself. */
export interface EdgeToken {
  readonly tokenId: string;
  readonly siteKeyHash: string;
  readonly name: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}
