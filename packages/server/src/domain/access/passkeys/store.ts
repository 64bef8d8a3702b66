import type { Database, Queries, Transaction } from "../../../infra/db/database.js";
import { countRows, selectValues } from "../../../infra/db/statements.js";
import { json, Table } from "../../../infra/db/table.js";
import type { Log } from "../../../infra/log/log.js";
import type { Passkey } from "./passkey.js";

const passkeys = new Table<Passkey>("passkeys", {
  credentialId: "credential_id",
  personId: "person_id",
  rpId: "rp_id",
  publicKey: "public_key",
  counter: "counter",
  transports: json<readonly string[]>("transports"),
  name: "name",
  createdAt: "created_at",
  lastUsedAt: "last_used_at",
});

export function insertPasskey(tx: Transaction, passkey: Passkey): Promise<void> {
  return passkeys.insert(tx, [passkey]);
}

export const passkeyById = passkeys.by("credential_id");

export function passkeysOf(db: Queries, personId: string): Promise<Passkey[]> {
  return passkeys.all(db, "WHERE person_id = ? ORDER BY created_at, credential_id", personId);
}

/** Passkeys from before the hosts were stored belong to the host that the service has now. */
async function bindPasskeys(db: Queries, host: string): Promise<void> {
  await db.run("UPDATE passkeys SET rp_id = ? WHERE rp_id IS NULL", host);
}

export function countPasskeys(db: Queries): Promise<number> {
  return countRows(db, "passkeys");
}

/** People who have passkeys, but none for a host: they can no longer sign in with one. */
const STRANDED = `SELECT person_id FROM passkeys GROUP BY person_id
  HAVING SUM(CASE WHEN rp_id IS NULL OR rp_id = ? THEN 1 ELSE 0 END) = 0`;

export function countStranded(db: Queries, host: string): Promise<number> {
  return countRows(db, `(${STRANDED}) AS stranded`, host);
}

/** Which of these people have passkeys, but none for a host. */
export async function strandedAmong(
  db: Queries,
  personIds: readonly string[],
  host: string,
): Promise<ReadonlySet<string>> {
  if (personIds.length === 0) return new Set();
  const marks = personIds.map(() => "?").join(", ");
  const from = `(${STRANDED}) AS stranded WHERE person_id IN (${marks})`;
  return new Set(await selectValues<string>(db, "person_id", from, host, ...personIds));
}

/**
 * Marks a use at a host, and moves the counter forward; false if another request has moved it as far already.
 */
export async function markUsed(
  tx: Transaction,
  { credentialId, counter }: Passkey,
  used: { readonly counter: number; readonly at: number; readonly host: string },
): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE passkeys SET counter = ?, last_used_at = ?, rp_id = ?
     WHERE credential_id = ? AND counter = ?`,
    used.counter,
    used.at,
    used.host,
    credentialId,
    counter,
  );
  return changed === 1;
}

export async function deletePasskey(
  tx: Transaction,
  personId: string,
  credentialId: string,
): Promise<boolean> {
  const sql = "DELETE FROM passkeys WHERE person_id = ? AND credential_id = ?";
  return (await tx.run(sql, personId, credentialId)) === 1;
}

/** Deletes a passkey that was removed after a backup, whoever owns it in the backup. */
export async function deletePasskeyById(tx: Transaction, credentialId: string): Promise<void> {
  await tx.run("DELETE FROM passkeys WHERE credential_id = ?", credentialId);
}

export async function deletePasskeysOf(tx: Transaction, personId: string): Promise<void> {
  await tx.run("DELETE FROM passkeys WHERE person_id = ?", personId);
}

/** Deletes every passkey; returns how many there were. */
export function deleteAllPasskeys(db: Queries): Promise<number> {
  return db.run("DELETE FROM passkeys");
}

/** Remembers a challenge that was answered until it expires; false if it was answered before. */
export async function spendChallenge(
  tx: Transaction,
  digest: string,
  expiresAt: number,
): Promise<boolean> {
  const sql =
    "INSERT INTO passkey_answers (digest, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING";
  return (await tx.run(sql, digest, expiresAt)) === 1;
}

export async function deleteSpentChallenges(tx: Transaction, now: number): Promise<void> {
  await tx.run("DELETE FROM passkey_answers WHERE expires_at <= ?", now);
}

/** At a start: warns of people whose passkeys belong to a host that the service had before. */
export async function checkPasskeyHost(db: Database, log: Log, host: string): Promise<void> {
  await bindPasskeys(db, host);
  const people = await countStranded(db, host);
  if (people > 0) log.warn({ people, host }, "people.passkeys_unusable");
}
