import type { Queries, Transaction } from "../../../infra/db/database.js";
import { Table } from "../../../infra/db/table.js";

/** A link that signs a person in once. Only the digest of its secret is stored. */
export interface PersonLink {
  readonly digest: string;
  readonly personId: string;
  readonly expiresAt: number;
}

const links = new Table<PersonLink>("person_links", {
  digest: "digest",
  personId: "person_id",
  expiresAt: "expires_at",
});

/** Stores a link. Each person has at most `max`; the oldest are deleted. */
export async function insertLink(tx: Transaction, link: PersonLink, max: number): Promise<void> {
  await links.insert(tx, [link]);
  await tx.run(
    `DELETE FROM person_links WHERE person_id = ? AND digest NOT IN (
       SELECT digest FROM person_links WHERE person_id = ? ORDER BY expires_at DESC, digest LIMIT ?)`,
    link.personId,
    link.personId,
    max,
  );
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
