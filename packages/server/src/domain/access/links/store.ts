import type { Queries, Transaction } from "../../../infra/db/database.js";
import { countRows } from "../../../infra/db/statements.js";
import { flag, Table } from "../../../infra/db/table.js";

/** A link that signs a person in once. Only the digest of its secret is stored. */
export interface PersonLink {
  readonly digest: string;
  readonly personId: string;
  /** Invitations are made by others; sign-in links are asked for by anybody who knows the address. */
  readonly kind: "invitation" | "sign_in";
  /** Whether only the person's mailbox has it. */
  readonly mailed: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const links = new Table<PersonLink>("person_links", {
  digest: "digest",
  personId: "person_id",
  kind: "kind",
  mailed: flag("mailed"),
  createdAt: "created_at",
  expiresAt: "expires_at",
});

export function insertLink(tx: Transaction, link: PersonLink): Promise<void> {
  return links.insert(tx, [link]);
}

export function countOpenLinks(
  db: Queries,
  { personId, kind }: Pick<PersonLink, "personId" | "kind">,
  now: number,
): Promise<number> {
  const from = "person_links WHERE person_id = ? AND kind = ? AND expires_at > ?";
  return countRows(db, from, personId, kind, now);
}

/** Deletes the oldest invitations beyond a number. */
export async function keepInvitations(
  tx: Transaction,
  personId: string,
  max: number,
): Promise<void> {
  await tx.run(
    `DELETE FROM person_links WHERE person_id = ? AND kind = 'invitation' AND digest NOT IN (
       SELECT digest FROM person_links WHERE person_id = ? AND kind = 'invitation'
       ORDER BY created_at DESC, digest LIMIT ?)`,
    personId,
    personId,
    max,
  );
}

export async function markMailed(db: Queries, digest: string): Promise<void> {
  await db.run("UPDATE person_links SET mailed = 1 WHERE digest = ?", digest);
}

export function liveLink(db: Queries, digest: string, now: number) {
  return links.get(db, "WHERE digest = ? AND expires_at > ?", digest, now);
}

/** Takes a link, so that a second use finds none. */
export async function takeLink(tx: Transaction, digest: string): Promise<boolean> {
  return (await tx.run("DELETE FROM person_links WHERE digest = ?", digest)) === 1;
}

export async function deleteLinksOf(tx: Transaction, personId: string): Promise<void> {
  await tx.run("DELETE FROM person_links WHERE person_id = ?", personId);
}

export async function deleteExpiredLinks(tx: Transaction, now: number): Promise<void> {
  await tx.run("DELETE FROM person_links WHERE expires_at <= ?", now);
}

export async function deleteAllLinks(db: Queries): Promise<void> {
  await db.run("DELETE FROM person_links");
}
