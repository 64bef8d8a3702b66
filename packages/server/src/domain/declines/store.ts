import type { Queries, Transaction } from "../../infra/db/database.js";
import { countRows, deleterOf } from "../../infra/db/statements.js";
import { flag, Table } from "../../infra/db/table.js";
import type { CountedBy, CountedCaller, Wait } from "./decline.js";

const attempts = new Table<CountedCaller>("decline_attempts", {
  siteKeyHash: "site_key_hash",
  identity: "identity",
  admitted: flag("admitted"),
  addressMac: "address_mac",
  instrumentMac: "instrument_mac",
  buyerMac: "buyer_mac",
});

/** Written together with the payment intent, so that an outcome found after a crash is counted too. */
export function insertAttempt(
  tx: Transaction,
  attemptId: string,
  caller: CountedCaller,
  now: number,
): Promise<void> {
  return attempts.insert(tx, [caller], { attempt_id: attemptId, requested_at: now, declined: 0 });
}

/** Ends an attempt that was not declined. */
export async function endAttempt(tx: Transaction, attemptId: string, now: number): Promise<void> {
  await tx.set("decline_attempts", { attempt_id: attemptId }, { ended_at: now });
}

/** Ends a declined attempt and returns its caller; undefined if it ended before or is not counted. */
export async function endDeclinedAttempt(
  tx: Transaction,
  attemptId: string,
  now: number,
): Promise<CountedCaller | undefined> {
  const [row] = await tx.all<object>(
    `UPDATE decline_attempts SET ended_at = ?, declined = 1 WHERE attempt_id = ?
       AND ended_at IS NULL RETURNING *`,
    now,
    attemptId,
  );
  return row && attempts.read(row);
}

function whereOf(by: CountedBy): { readonly sql: string; readonly values: string[] } {
  const columns = {
    site_key_hash: by.siteKeyHash,
    identity: by.identity,
    address_mac: by.addressMac,
    instrument_mac: by.instrumentMac,
    buyer_mac: by.buyerMac,
  };
  const named = Object.entries(columns).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  const conditions = named.map(({ name }) => `${name} = ?`);
  // Written into the SQL, not bound, because only then a partial index can be used.
  if (by.admitted !== undefined) conditions.push(`admitted = ${Number(by.admitted)}`);
  return { sql: conditions.join(" AND "), values: named.map(({ value }) => value) };
}

/** The number of attempts that ended since a time, and how many of them were declined. */
export async function countEnded(
  db: Queries,
  by: CountedBy,
  since: number,
): Promise<{ readonly ended: number; readonly declined: number }> {
  const { sql, values } = whereOf(by);
  const row = await db.get<{ ended: number; declined: number | null }>(
    `SELECT COUNT(*) AS ended, SUM(declined) AS declined FROM decline_attempts
     WHERE ${sql} AND ended_at > ?`,
    ...values,
    since,
  );
  return { ended: Number(row?.ended ?? 0), declined: Number(row?.declined ?? 0) };
}

/** The number of payments of a site that were declined since a time. */
export function countDeclined(db: Queries, siteKeyHash: string, since: number): Promise<number> {
  const from = "decline_attempts WHERE site_key_hash = ? AND declined = 1 AND ended_at > ?";
  return countRows(db, from, siteKeyHash, since);
}

/** The number of attempts that began since a time and have not ended. */
export function countOpen(db: Queries, by: CountedBy, since: number): Promise<number> {
  const { sql, values } = whereOf(by);
  const from = `decline_attempts WHERE ${sql} AND ended_at IS NULL AND requested_at > ?`;
  return countRows(db, from, ...values, since);
}

const waits = new Table<Wait>("decline_waits", {
  siteKeyHash: "site_key_hash",
  kind: "kind",
  subject: "subject",
  identity: "identity",
  beganAt: "began_at",
  until: "until_at",
  times: "times",
});

export async function waitBySubject(
  db: Queries,
  siteKeyHash: string,
  subject: string,
): Promise<Wait | undefined> {
  const [wait] = await waitsBySubject(db, siteKeyHash, [subject]);
  return wait;
}

/** The waits of some subjects, in the order of the subjects. */
export async function waitsBySubject(
  db: Queries,
  siteKeyHash: string,
  subjects: readonly string[],
): Promise<readonly Wait[]> {
  const marks = subjects.map(() => "?").join(", ");
  const rest = `WHERE site_key_hash = ? AND subject IN (${marks})`;
  const rows = await waits.all(db, rest, siteKeyHash, ...subjects);
  const bySubject = new Map(rows.map((wait) => [wait.subject, wait]));
  return subjects.flatMap((subject) => bySubject.get(subject) ?? []);
}

export function writeWait(tx: Transaction, wait: Wait): Promise<void> {
  return waits.upsert(tx, wait, {
    key: ["site_key_hash", "subject"],
    changed: ["began_at", "until_at", "times"],
  });
}

/** All current waits of a site, the longest first. */
export function listWaits(
  db: Queries,
  siteKeyHash: string,
  now: number,
  limit: number,
): Promise<readonly Wait[]> {
  const rest = "WHERE site_key_hash = ? AND until_at > ? ORDER BY until_at DESC, subject LIMIT ?";
  return waits.all(db, rest, siteKeyHash, now, limit);
}

/** Deletes attempts and waits that no longer count. */
export async function deleteExpiredDeclines(
  tx: Transaction,
  { endedBefore, begunBefore, waitedBefore }: Readonly<Record<ExpiredBefore, number>>,
): Promise<void> {
  await tx.run("DELETE FROM decline_attempts WHERE ended_at < ?", endedBefore);
  await tx.run("DELETE FROM decline_attempts WHERE requested_at < ?", begunBefore);
  await tx.run("DELETE FROM decline_waits WHERE until_at < ?", waitedBefore);
}

type ExpiredBefore = "endedBefore" | "begunBefore" | "waitedBefore";

/** Deletes the attempts and waits of a site. Its open payments end without being counted. */
export const deleteDeclines = deleterOf("decline_attempts", "decline_waits");
