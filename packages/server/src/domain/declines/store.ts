import type { Queries, Transaction } from "../../infra/db/database.js";
import type { CountedBy, CountedCaller, Wait, WaitKind } from "./decline.js";

interface Row {
  site_key_hash: string;
  identity: string;
  admitted: number;
  address_mac: string | null;
  instrument_mac: string;
  buyer_mac: string | null;
}

/** Written together with the payment intent, so that an outcome found after a crash is counted too. */
export async function insertAttempt(
  tx: Transaction,
  attemptId: string,
  caller: CountedCaller,
  now: number,
): Promise<void> {
  const { siteKeyHash, identity, admitted, addressMac, instrumentMac, buyerMac } = caller;
  await tx.run(
    `INSERT INTO decline_attempts (attempt_id, site_key_hash, identity, admitted, address_mac,
       instrument_mac, buyer_mac, requested_at, declined) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    attemptId,
    siteKeyHash,
    identity,
    admitted ? 1 : 0,
    addressMac,
    instrumentMac,
    buyerMac,
    now,
  );
}

/** Ends an attempt that was not declined. */
export async function endAttempt(tx: Transaction, attemptId: string, now: number): Promise<void> {
  await tx.run(
    "UPDATE decline_attempts SET ended_at = ? WHERE attempt_id = ? AND ended_at IS NULL",
    now,
    attemptId,
  );
}

/** Ends a declined attempt and returns its caller; undefined if it ended before or is not counted. */
export async function endDeclinedAttempt(
  tx: Transaction,
  attemptId: string,
  now: number,
): Promise<CountedCaller | undefined> {
  const [row] = await tx.all<Row>(
    `UPDATE decline_attempts SET ended_at = ?, declined = 1 WHERE attempt_id = ?
       AND ended_at IS NULL RETURNING *`,
    now,
    attemptId,
  );
  return (
    row && {
      siteKeyHash: row.site_key_hash,
      identity: row.identity,
      admitted: row.admitted === 1,
      addressMac: row.address_mac,
      instrumentMac: row.instrument_mac,
      buyerMac: row.buyer_mac,
    }
  );
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
export async function countDeclined(
  db: Queries,
  siteKeyHash: string,
  since: number,
): Promise<number> {
  const row = await db.get<{ declined: number }>(
    `SELECT COUNT(*) AS declined FROM decline_attempts
     WHERE site_key_hash = ? AND declined = 1 AND ended_at > ?`,
    siteKeyHash,
    since,
  );
  return Number(row?.declined ?? 0);
}

/** The number of attempts that began since a time and have not ended. */
export async function countOpen(db: Queries, by: CountedBy, since: number): Promise<number> {
  const { sql, values } = whereOf(by);
  const row = await db.get<{ open: number }>(
    `SELECT COUNT(*) AS open FROM decline_attempts
     WHERE ${sql} AND ended_at IS NULL AND requested_at > ?`,
    ...values,
    since,
  );
  return Number(row?.open ?? 0);
}

interface WaitRow {
  site_key_hash: string;
  kind: WaitKind;
  subject: string;
  identity: string | null;
  began_at: number;
  until_at: number;
  times: number;
}

const waitOf = (row: WaitRow): Wait => ({
  siteKeyHash: row.site_key_hash,
  kind: row.kind,
  subject: row.subject,
  identity: row.identity,
  beganAt: row.began_at,
  until: row.until_at,
  times: row.times,
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
  const rows = await db.all<WaitRow>(
    `SELECT * FROM decline_waits WHERE site_key_hash = ? AND subject IN (${subjects.map(() => "?").join(", ")})`,
    siteKeyHash,
    ...subjects,
  );
  const bySubject = new Map(rows.map((row) => [row.subject, waitOf(row)]));
  return subjects.flatMap((subject) => bySubject.get(subject) ?? []);
}

export async function writeWait(tx: Transaction, wait: Wait): Promise<void> {
  const { siteKeyHash, kind, subject, identity, beganAt, until, times } = wait;
  await tx.run(
    `INSERT INTO decline_waits (site_key_hash, subject, kind, identity, began_at, until_at, times)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (site_key_hash, subject) DO UPDATE SET began_at = excluded.began_at,
       until_at = excluded.until_at, times = excluded.times`,
    siteKeyHash,
    subject,
    kind,
    identity,
    beganAt,
    until,
    times,
  );
}

/** All current waits of a site, the longest first. */
export async function listWaits(
  db: Queries,
  siteKeyHash: string,
  now: number,
  limit: number,
): Promise<readonly Wait[]> {
  const rows = await db.all<WaitRow>(
    `SELECT * FROM decline_waits WHERE site_key_hash = ? AND until_at > ?
     ORDER BY until_at DESC, subject LIMIT ?`,
    siteKeyHash,
    now,
    limit,
  );
  return rows.map(waitOf);
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
export async function deleteDeclines(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM decline_attempts WHERE site_key_hash = ?", siteKeyHash);
  await tx.run("DELETE FROM decline_waits WHERE site_key_hash = ?", siteKeyHash);
}
