export const REVOCATION_KINDS = ["token", "edge_token", "agent", "agent_key", "platform"] as const;

/** Something that must not work again; a suspended platform, until its owner admits it. */
export interface Revocation {
  readonly kind: (typeof REVOCATION_KINDS)[number];
  /** Of a key: `{site key hash}/{kid}`. Of a platform: `{site key hash}/{identity}`. */
  readonly id: string;
  readonly revokedAt: number;
}

/** A unique name for a revocation. */
export const nameOf = ({ kind, id }: Revocation) => `${kind} ${id}`;

/** The id of something that a site and a name identify. */
export const idAt = (siteKeyHash: string, name: string) => `${siteKeyHash}/${name}`;

/** The site and the rest of an id that names both. A site key hash holds no slash. */
export function partsOf(id: string): readonly [site: string, rest: string] {
  const at = id.indexOf("/");
  return [id.slice(0, at), id.slice(at + 1)];
}
