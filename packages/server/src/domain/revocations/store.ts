import type { Queries, Transaction } from "../../infra/db/database.js";
import { rowExists } from "../../infra/db/statements.js";

export const REVOCATION_KINDS = [
  "token",
  "edge_token",
  "agent",
  "agent_key",
  "platform",
  "platform_credential",
  "buyer",
  "person",
  "person_role",
  "person_sign_in",
  "passkey",
  "shop_connection",
] as const;

/**
 * Something that must not work again; a suspended platform, until its owner admits it. A buyer, whose
 * personal data until then must not come back.
 */
export interface Revocation {
  readonly kind: (typeof REVOCATION_KINDS)[number];
  /**
   * `{site key hash}/{kid}` of a key, `{site key hash}/{identity}` of a platform, `{site key hash}/{MAC}` of a buyer.
   * `{site}/{person}/{role}` of a person's role: the one they have since, or `none`.
   */
  readonly id: string;
  readonly revokedAt: number;
}

/** A unique name for a revocation. */
export const revocationName = ({ kind, id }: Revocation) => `${kind} ${id}`;

/**
 * The revocations that others do not have, or had earlier. What they have must not be applied again: a person
 * whose sign-in was reset has a new passkey since, and a platform may have been admitted again.
 */
export function newerThan(
  revocations: readonly Revocation[],
  others: readonly Revocation[],
): readonly Revocation[] {
  const known = new Map(others.map((one) => [revocationName(one), one.revokedAt]));
  return revocations.filter((one) => (known.get(revocationName(one)) ?? 0) < one.revokedAt);
}

/** The id of something that a site and a name identify. */
export const siteScopedId = (siteKeyHash: string, name: string) => `${siteKeyHash}/${name}`;

/** The site and the rest of an id that names both. A site key hash holds no slash. */
export function splitSiteScopedId(id: string): readonly [site: string, rest: string] {
  const at = id.indexOf("/");
  return [id.slice(0, at), id.slice(at + 1)];
}

/** The topic for new revocations, so that every node writes them to its list. */
export const REVOCATION_TOPIC = "revocations";

/**
 * Stores a revocation in the transaction that revokes. Idempotent. The later time counts, because a
 * platform may be admitted and suspended again.
 */
export async function insertRevocations(
  tx: Transaction,
  revocations: readonly Revocation[],
): Promise<void> {
  for (const { kind, id, revokedAt } of revocations) {
    await tx.run(
      `INSERT INTO revocations (kind, id, revoked_at) VALUES (?, ?, ?)
       ON CONFLICT (kind, id) DO UPDATE SET revoked_at = excluded.revoked_at
       WHERE excluded.revoked_at > revocations.revoked_at`,
      kind,
      id,
      revokedAt,
    );
  }
  if (revocations.length > 0) tx.announce(REVOCATION_TOPIC, "*");
}

/** Whether something was revoked, even if a restored database no longer has it. */
export function isRevoked(
  db: Queries,
  { kind, id }: Pick<Revocation, "kind" | "id">,
): Promise<boolean> {
  return rowExists(db, "revocations WHERE kind = ? AND id = ?", kind, id);
}

export function allRevocations(db: Queries): Promise<Revocation[]> {
  return db.all<Revocation>(
    'SELECT kind, id, revoked_at AS "revokedAt" FROM revocations ORDER BY revoked_at, kind, id',
  );
}
