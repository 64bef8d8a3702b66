import type { Queries, Transaction } from "../../../infra/db/database.js";
import { DAY_MS } from "../../../infra/time.js";

/** A site's own account with a real payment provider. */
export interface ProviderAccount {
  readonly accountId: string;
  readonly siteKeyHash: string;
  readonly kind: "stripe";
  /** Whether real money moves. */
  readonly live: boolean;
  /** The provider's id of the account, if its key may read it. */
  readonly externalId: string | null;
  readonly publishableKey: string | null;
  /** Whether tokens that agents share may be paid with: a preview of the processor's. */
  readonly sharedTokens: boolean;
  /** Erased after the account has ended and no payment with it is open. */
  readonly sealedKey: string | null;
  readonly sealedWebhookSecret: string | null;
  readonly sealedApprovalSecret: string | null;
  readonly connectedAt: number;
  readonly endedAt: number | null;
}

/** Which of an account's secrets. */
export type AccountSecret = "key" | "webhook secret" | "approval secret";

/** Where a secret is kept; sealed, it opens nowhere else. */
export const secretPlace = (accountId: string, name: AccountSecret) =>
  `processor account ${accountId} ${name}`;

interface Row {
  account_id: string;
  site_key_hash: string;
  kind: ProviderAccount["kind"];
  live: number;
  external_id: string | null;
  publishable_key: string | null;
  shared_tokens: number;
  sealed_key: string | null;
  sealed_webhook_secret: string | null;
  sealed_approval_secret: string | null;
  connected_at: number;
  ended_at: number | null;
}

function accountOf(row: Row): ProviderAccount {
  return Object.freeze({
    accountId: row.account_id,
    siteKeyHash: row.site_key_hash,
    kind: row.kind,
    live: row.live === 1,
    externalId: row.external_id,
    publishableKey: row.publishable_key,
    sharedTokens: row.shared_tokens === 1,
    sealedKey: row.sealed_key,
    sealedWebhookSecret: row.sealed_webhook_secret,
    sealedApprovalSecret: row.sealed_approval_secret,
    connectedAt: row.connected_at,
    endedAt: row.ended_at,
  });
}

/** Writes an account or its changes. An ended account becomes current again. */
export async function writeAccount(tx: Transaction, account: ProviderAccount): Promise<void> {
  const changing = [
    account.externalId,
    account.publishableKey,
    account.sharedTokens ? 1 : 0,
    account.sealedKey,
    account.sealedWebhookSecret,
    account.sealedApprovalSecret,
  ];
  await tx.run(
    `INSERT INTO processor_accounts (account_id, site_key_hash, kind, live, connected_at,
       external_id, publishable_key, shared_tokens, sealed_key, sealed_webhook_secret,
       sealed_approval_secret)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET external_id = ?, publishable_key = ?,
       shared_tokens = ?, sealed_key = ?, sealed_webhook_secret = ?, sealed_approval_secret = ?,
       ended_at = NULL`,
    account.accountId,
    account.siteKeyHash,
    account.kind,
    account.live ? 1 : 0,
    account.connectedAt,
    ...changing,
    ...changing,
  );
}

export async function accountById(
  db: Queries,
  accountId: string,
): Promise<ProviderAccount | undefined> {
  const sql = "SELECT * FROM processor_accounts WHERE account_id = ?";
  const row = await db.get<Row>(sql, accountId);
  return row && accountOf(row);
}

/** The account a site is paid through now. */
export async function currentAccount(
  db: Queries,
  siteKeyHash: string,
): Promise<ProviderAccount | undefined> {
  const row = await db.get<Row>(
    `SELECT * FROM processor_accounts WHERE site_key_hash = ? AND ended_at IS NULL
     ORDER BY connected_at DESC LIMIT 1`,
    siteKeyHash,
  );
  return row && accountOf(row);
}

/** All accounts of a site that still have secrets, the newest first. */
export async function usableAccounts(
  db: Queries,
  siteKeyHash: string,
  limit: number,
): Promise<ProviderAccount[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM processor_accounts WHERE site_key_hash = ? AND sealed_key IS NOT NULL
     ORDER BY connected_at DESC LIMIT ?`,
    siteKeyHash,
    limit,
  );
  return rows.map(accountOf);
}

/** No new payment uses these accounts. Open payments continue. */
export async function endAccounts(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
): Promise<void> {
  await tx.run(
    "UPDATE processor_accounts SET ended_at = ? WHERE site_key_hash = ? AND ended_at IS NULL",
    now,
    siteKeyHash,
  );
}

/** Banks can return money for this long, so a replaced account is still read until then. */
const RETURNED_MS_MAX = 180 * DAY_MS;

/**
 * Erases the secrets of ended accounts with nothing open: no attempt, no authorization, no money
 * that may still be returned. For a deleted site, nobody is notified about returned money.
 */
export async function deleteEndedSecrets(tx: Transaction, now: number): Promise<void> {
  await tx.run(
    `UPDATE processor_accounts SET sealed_key = NULL, sealed_webhook_secret = NULL,
       sealed_approval_secret = NULL
     WHERE ended_at IS NOT NULL AND sealed_key IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM payments
         WHERE payments.account_id = processor_accounts.account_id
           AND payments.status IN ('requested', 'unknown', 'releasing'))
       AND NOT EXISTS (SELECT 1 FROM payments
         JOIN orders ON orders.attempt_id = payments.attempt_id
         WHERE payments.account_id = processor_accounts.account_id
           AND (orders.payment = 'authorized'
             OR (orders.payment = 'captured' AND orders.payment_changed_at > ?
               AND EXISTS (SELECT 1 FROM sites WHERE sites.site_key_hash = orders.site_key_hash
                 AND sites.deleted_at IS NULL))))`,
    now - RETURNED_MS_MAX,
  );
}
