import type { Queries, Transaction } from "../../../infra/db/database.js";
import { countRows, selectValue, selectValues } from "../../../infra/db/statements.js";
import { Table } from "../../../infra/db/table.js";
import {
  type CredentialKind,
  ENDED_CREDENTIAL_KEPT_MS,
  type PlatformCredential,
  USED_EVERY_MS,
} from "./credential.js";

const credentials = new Table<PlatformCredential>("platform_credentials", {
  credentialId: "credential_id",
  siteKeyHash: "site_key_hash",
  platform: "platform",
  kind: "kind",
  createdBy: "created_by",
  createdAt: "created_at",
  expiresAt: "expires_at",
  lastUsedAt: "last_used_at",
  revokedAt: "revoked_at",
});

export function insertCredential(
  tx: Transaction,
  credential: PlatformCredential,
  digest: string,
): Promise<void> {
  return credentials.insert(tx, [credential], { digest });
}

/** Read at every call, so that a revocation holds at once on every node. */
export function credentialByDigest(
  db: Queries,
  siteKeyHash: string,
  kind: CredentialKind,
  digest: string,
): Promise<PlatformCredential | undefined> {
  const rest = "WHERE digest = ? AND site_key_hash = ? AND kind = ?";
  return credentials.get(db, rest, digest, siteKeyHash, kind);
}

export const credentialById = credentials.ofSiteBy("credential_id");

export function digestOfCredential(db: Queries, credentialId: string): Promise<string | undefined> {
  const from = "platform_credentials WHERE credential_id = ?";
  return selectValue<string>(db, "digest", from, credentialId);
}

/** The credentials of a platform, the newest first. Few: ended ones are deleted after some time. */
export function listCredentials(
  db: Queries,
  siteKeyHash: string,
  platform: string,
): Promise<PlatformCredential[]> {
  return credentials.all(
    db,
    "WHERE site_key_hash = ? AND platform = ? ORDER BY created_at DESC, credential_id",
    siteKeyHash,
    platform,
  );
}

const LIVE = "site_key_hash = ? AND platform = ? AND revoked_at IS NULL AND expires_at > ?";

export function countLiveCredentials(
  db: Queries,
  { siteKeyHash, platform, kind }: PlatformCredential,
  now: number,
): Promise<number> {
  const from = `platform_credentials WHERE ${LIVE} AND kind = ?`;
  return countRows(db, from, siteKeyHash, platform, now, kind);
}

/** The ids of the credentials of a platform that still prove something. */
export function liveCredentialIds(
  db: Queries,
  siteKeyHash: string,
  platform: string,
  now: number,
): Promise<string[]> {
  const from = `platform_credentials WHERE ${LIVE}`;
  return selectValues<string>(db, "credential_id", from, siteKeyHash, platform, now);
}

export async function revokeCredential(
  db: Queries,
  credentialId: string,
  now: number,
): Promise<boolean> {
  const sql = `UPDATE platform_credentials SET revoked_at = ?
     WHERE credential_id = ? AND revoked_at IS NULL`;
  return (await db.run(sql, now, credentialId)) === 1;
}

/** Revokes every live credential of all sites; returns how many there were. */
export function revokeAllCredentials(db: Queries, now: number): Promise<number> {
  return db.run("UPDATE platform_credentials SET revoked_at = ? WHERE revoked_at IS NULL", now);
}

/** Notes that a credential was used, at most once an hour. */
export async function noteUse(
  db: Queries,
  { credentialId, lastUsedAt }: PlatformCredential,
  now: number,
): Promise<void> {
  if (lastUsedAt !== null && now - lastUsedAt < USED_EVERY_MS) return;
  const sql = "UPDATE platform_credentials SET last_used_at = ? WHERE credential_id = ?";
  await db.run(sql, now, credentialId);
}

/** Deletes credentials of a platform that ended long ago. */
export async function deleteEndedCredentials(
  tx: Transaction,
  { siteKeyHash, platform }: PlatformCredential,
  now: number,
): Promise<void> {
  const before = now - ENDED_CREDENTIAL_KEPT_MS;
  await tx.run(
    `DELETE FROM platform_credentials WHERE site_key_hash = ? AND platform = ?
       AND (expires_at < ? OR revoked_at < ?)`,
    siteKeyHash,
    platform,
    before,
    before,
  );
}

export async function deleteCredentials(
  tx: Transaction,
  siteKeyHash: string,
  platform: string,
): Promise<void> {
  const sql = "DELETE FROM platform_credentials WHERE site_key_hash = ? AND platform = ?";
  await tx.run(sql, siteKeyHash, platform);
}
