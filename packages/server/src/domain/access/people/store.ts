import type { Queries, Transaction } from "../../../infra/db/database.js";
import { countRows } from "../../../infra/db/statements.js";
import { type ListPage, Table } from "../../../infra/db/table.js";
import { type Access, EVERY_SITE, type Person } from "./person.js";

const people = new Table<Person>("people", {
  personId: "person_id",
  name: "name",
  email: "email",
  sharedEmail: "shared_email",
  createdBy: "created_by",
  createdAt: "created_at",
  joinedAt: "joined_at",
  removedAt: "removed_at",
  provenAt: "proven_at",
  vouchedBy: "vouched_by",
  subject: "subject",
});

const access = new Table<Access>("person_access", {
  personId: "person_id",
  site: "site",
  role: "role",
});

export function insertPerson(tx: Transaction, person: Person): Promise<void> {
  return people.insert(tx, [person]);
}

export const personById = people.by("person_id");

/** Lets no other transaction lock a person until this one ends; false if they were removed. */
export async function lockPerson(tx: Transaction, personId: string): Promise<boolean> {
  const sql = "SELECT person_id FROM people WHERE person_id = ? AND removed_at IS NULL";
  return (await tx.lock(sql, personId)).length === 1;
}

export function livePersonByEmail(db: Queries, email: string): Promise<Person | undefined> {
  return people.get(db, "WHERE email = ? AND removed_at IS NULL", email);
}

/** Everybody whose invitations went to an address; first the person it belongs to. */
export async function livePeopleAt(db: Queries, address: string): Promise<Person[]> {
  const rest = "WHERE (email = ? OR shared_email = ?) AND removed_at IS NULL ORDER BY created_at";
  const all = await people.all(db, rest, address, address);
  return all.sort((one, other) => Number(one.email === null) - Number(other.email === null));
}

/** Makes the address of an invitation that person's own. */
export async function claimAddress(tx: Transaction, personId: string): Promise<void> {
  const sql = "UPDATE people SET email = shared_email, shared_email = NULL WHERE person_id = ?";
  await tx.run(sql, personId);
}

export const personBySubject = people.by("subject");

export async function setSubject(
  tx: Transaction,
  personId: string,
  subject: string,
): Promise<void> {
  await tx.run("UPDATE people SET subject = ? WHERE person_id = ?", subject, personId);
}

export async function deleteSubject(tx: Transaction, personId: string): Promise<void> {
  await tx.run("UPDATE people SET subject = NULL WHERE person_id = ?", personId);
}

/** Marks that the address is the person's own. */
export async function markProven(tx: Transaction, personId: string, now: number): Promise<void> {
  await tx.run("UPDATE people SET proven_at = ? WHERE person_id = ?", now, personId);
}

/** Marks that somebody else holds a link for the person, and could be them. */
export async function markVouched(db: Queries, personId: string, by: string): Promise<void> {
  const sql = "UPDATE people SET proven_at = NULL, vouched_by = ? WHERE person_id = ?";
  await db.run(sql, by, personId);
}

/** Takes every role from everybody, and what companies' services know them by. */
export async function suspendPeople(db: Queries): Promise<void> {
  await db.run("DELETE FROM person_access");
  await db.run("UPDATE people SET subject = NULL");
}

export function countLivePeople(db: Queries): Promise<number> {
  return countRows(db, "people WHERE removed_at IS NULL");
}

/** How many people have the role operator, which is always for all sites. */
export function countOperators(db: Queries): Promise<number> {
  return countRows(db, "person_access WHERE site = ? AND role = 'operator'", EVERY_SITE);
}

/** How many people have a role at one site, not counting those with a role at all. */
export function countAccessTo(db: Queries, site: string): Promise<number> {
  return countRows(db, "person_access WHERE site = ?", site);
}

/** Everything that one person may do. Read at every request, so that a change holds at once on every node. */
export function accessOf(db: Queries, personId: string): Promise<Access[]> {
  return access.all(db, "WHERE person_id = ? ORDER BY site", personId);
}

/** Who has access to a site, or to all sites. */
export function accessTo(db: Queries, site: string, people: readonly string[]): Promise<Access[]> {
  const marks = people.map(() => "?").join(", ");
  return people.length === 0
    ? Promise.resolve([])
    : access.all(
        db,
        `WHERE site IN (?, ?) AND person_id IN (${marks})`,
        site,
        EVERY_SITE,
        ...people,
      );
}

/** Sets the role of a person at a site. */
export async function setAccess(tx: Transaction, { personId, site, role }: Access): Promise<void> {
  await tx.run(
    `INSERT INTO person_access (person_id, site, role) VALUES (?, ?, ?)
     ON CONFLICT (person_id, site) DO UPDATE SET role = excluded.role`,
    personId,
    site,
    role,
  );
}

export async function deleteAccess(tx: Transaction, personId: string, site: string): Promise<void> {
  await tx.run("DELETE FROM person_access WHERE person_id = ? AND site = ?", personId, site);
}

/** Everybody's role at one site, not counting roles at all sites. */
export function rolesAt(db: Queries, site: string): Promise<Access[]> {
  return access.all(db, "WHERE site = ? ORDER BY person_id", site);
}

/** People in order of creation: those of one site, or all (null). People who were removed are not listed. */
export function listPeople(db: Queries, site: string | null, page: ListPage): Promise<Person[]> {
  const ofSite = site !== null && {
    sql: "person_id IN (SELECT person_id FROM person_access WHERE site IN (?, ?))",
    values: [site, EVERY_SITE],
  };
  const where = [{ sql: "removed_at IS NULL", values: [] }, ofSite || undefined];
  return people.page(db, where, { by: ["created_at", "person_id"], newestFirst: false }, page);
}

export async function setPersonName(
  tx: Transaction,
  personId: string,
  name: string,
): Promise<void> {
  await tx.run("UPDATE people SET name = ? WHERE person_id = ?", name, personId);
}

/** Marks that a person has signed in; false if they had before. */
export async function markJoined(tx: Transaction, personId: string, now: number): Promise<boolean> {
  const sql = "UPDATE people SET joined_at = ? WHERE person_id = ? AND joined_at IS NULL";
  return (await tx.run(sql, now, personId)) === 1;
}

/** Removes a person for good. The address becomes free for others who were invited with it. */
export async function markRemoved(tx: Transaction, personId: string, now: number): Promise<void> {
  const person = await personById(tx, personId);
  await tx.run("DELETE FROM person_access WHERE person_id = ?", personId);
  await tx.run(
    `UPDATE people SET removed_at = ?, email = NULL, shared_email = NULL, subject = NULL
     WHERE person_id = ?`,
    now,
    personId,
  );
  if (person?.email == null) return;
  const [next] = await livePeopleAt(tx, person.email);
  if (next !== undefined) await claimAddress(tx, next.personId);
}
