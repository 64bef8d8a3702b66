import type { Queries, Transaction } from "../../../infra/db/database.js";
import { flag, Table } from "../../../infra/db/table.js";
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
  /** Whether agents may pay with shared payment tokens, which the provider offers as a preview. */
  readonly sharedTokens: boolean;
  /** Erased after the account has ended and no payment with it is open. */
  readonly sealedKey: string | null;
  readonly sealedWebhookSecret: string | null;
  readonly sealedApprovalSecret: string | null;
  readonly connectedAt: number;
  readonly endedAt: number | null;
}

export type AccountSecret = "key" | "webhook secret" | "approval secret";

/** Names the secret that is sealed. A sealed value opens only under its own name. */
export const secretPlace = (accountId: string, name: AccountSecret) =>
  `processor account ${accountId} ${name}`;

const accounts = new Table<ProviderAccount>("processor_accounts", {
  accountId: "account_id",
  siteKeyHash: "site_key_hash",
  kind: "kind",
  live: flag("live"),
  externalId: "external_id",
  publishableKey: "publishable_key",
  sharedTokens: flag("shared_tokens"),
  sealedKey: "sealed_key",
  sealedWebhookSecret: "sealed_webhook_secret",
  sealedApprovalSecret: "sealed_approval_secret",
  connectedAt: "connected_at",
  endedAt: "ended_at",
});

/** Writes an account or its changes. An ended account becomes current again. */
export function writeAccount(tx: Transaction, account: ProviderAccount): Promise<void> {
  const secrets = ["sealed_key", "sealed_webhook_secret", "sealed_approval_secret"];
  return accounts.upsert(
    tx,
    { ...account, endedAt: null },
    {
      key: ["account_id"],
      changed: ["external_id", "publishable_key", "shared_tokens", ...secrets, "ended_at"],
    },
  );
}

export const accountById = accounts.by("account_id");

/** The account a site is paid through now. */
export function currentAccount(
  db: Queries,
  siteKeyHash: string,
): Promise<ProviderAccount | undefined> {
  const rest = "WHERE site_key_hash = ? AND ended_at IS NULL ORDER BY connected_at DESC LIMIT 1";
  return accounts.get(db, rest, siteKeyHash);
}

/** All accounts of a site that still have secrets, the newest first. */
export function usableAccounts(
  db: Queries,
  siteKeyHash: string,
  limit: number,
): Promise<ProviderAccount[]> {
  const rest =
    "WHERE site_key_hash = ? AND sealed_key IS NOT NULL ORDER BY connected_at DESC LIMIT ?";
  return accounts.all(db, rest, siteKeyHash, limit);
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
         JOIN payment_changes ON payment_changes.attempt_id = payments.attempt_id
         WHERE payments.account_id = processor_accounts.account_id
           AND payment_changes.next_at IS NOT NULL)
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
