import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  type AccountSecret,
  accountById,
  currentAccount,
  endAccounts,
  type ProviderAccount,
  secretPlace,
  usableAccounts,
  writeAccount,
} from "../../domain/payments/accounts/store.js";
import { newestReference, wasUsed } from "../../domain/payments/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import {
  isWebhookSecret,
  type KeyReport,
  ownsPayment,
  publishableMode,
  reportOnKey,
} from "../../payments/stripe/key.js";

export type { KeyReport, ProviderAccount };

/** Accounts of a site that a new key is compared with, newest first. */
const ACCOUNTS_MAX = 5;

/** The settings of an account. Absent members do not change. */
export interface StripeSettings {
  readonly secretKey?: string | undefined;
  readonly publishableKey?: string | undefined;
  readonly webhookSecret?: string | undefined;
  readonly approvalSecret?: string | undefined;
  readonly sharedTokens?: boolean | undefined;
}

/** An account without its secrets. */
export interface AccountState {
  readonly account: Pick<
    ProviderAccount,
    "externalId" | "live" | "publishableKey" | "sharedTokens" | "connectedAt"
  >;
  readonly hasWebhookSecret: boolean;
  readonly hasApprovalSecret: boolean;
}

export async function accountState(
  db: Queries,
  siteKeyHash: string,
): Promise<AccountState | undefined> {
  const account = await currentAccount(db, siteKeyHash);
  return (
    account && {
      account,
      hasWebhookSecret: account.sealedWebhookSecret !== null,
      hasApprovalSecret: account.sealedApprovalSecret !== null,
    }
  );
}

/** Checks the permissions of the key in use. */
export async function checkCurrentKey(
  { config, db, secrets }: Context,
  siteKeyHash: string,
): Promise<Result<KeyReport, "invalid_request" | "unavailable">> {
  const account = await currentAccount(db, siteKeyHash);
  if (account?.sealedKey == null) {
    const why =
      "No Stripe account is connected. Connect one with its key: gatehouse site connect --secret-key-file.";
    return refuse("invalid_request", why);
  }
  const key = secrets.open(secretPlace(account.accountId, "key"), account.sealedKey);
  return reportOnKey(key, { apiBase: config.stripeApiBase });
}

/** A checked key, and the site's account that it belongs to. */
export interface CheckedKey {
  readonly report: KeyReport;
  /** Null if it belongs to none of the known accounts. */
  readonly accountId: string | null;
}

/**
 * The account that a key belongs to: by Stripe's id, or, if the key may not read that, by whether it can read
 * a payment that was made with the account.
 */
async function accountOfKey(
  { config, db }: Context,
  siteKeyHash: string,
  key: string,
  { externalId, live }: KeyReport,
): Promise<string | null> {
  const apiBase = config.stripeApiBase;
  for (const account of await usableAccounts(db, siteKeyHash, ACCOUNTS_MAX)) {
    if (account.live !== live) continue;
    const { accountId } = account;
    if (externalId !== null && account.externalId !== null) {
      if (externalId === account.externalId) return accountId;
      continue;
    }
    const reference = await newestReference(db, accountId);
    if (reference !== undefined && (await ownsPayment(key, reference, { apiBase }))) {
      return accountId;
    }
    // An account that was never used can become the account of any key.
    if (account.endedAt === null && !(await wasUsed(db, accountId))) return accountId;
  }
  return null;
}

/** Checks the permissions of a new key, and which account it belongs to. */
export async function checkNewKey(
  context: Context,
  siteKeyHash: string,
  key: string,
): Promise<Result<CheckedKey, "invalid_request" | "unavailable">> {
  const report = await reportOnKey(key, { apiBase: context.config.stripeApiBase });
  if (!report.ok) return report;
  const accountId = await accountOfKey(context, siteKeyHash, key, report.value);
  return ok({ report: report.value, accountId });
}

function settingsFault(
  { publishableKey, webhookSecret, approvalSecret }: StripeSettings,
  live: boolean,
): string | undefined {
  if (publishableKey !== undefined) {
    const mode = publishableMode(publishableKey);
    if (mode === undefined) return "publishable_key: must be a publishable key of Stripe (pk_…).";
    if ((mode === "live") !== live) {
      return "publishable_key: has a different mode than secret_key. Use two live keys or two test keys.";
    }
  }
  for (const [name, secret] of Object.entries({
    webhook_secret: webhookSecret,
    approval_secret: approvalSecret,
  })) {
    if (secret !== undefined && !isWebhookSecret(secret)) {
      return `${name}: must be the signing secret of the endpoint (whsec_…).`;
    }
  }
  return undefined;
}

/** The account to update; undefined if a new one is needed. */
async function accountToKeep(
  tx: Transaction,
  siteKeyHash: string,
  checked: CheckedKey | undefined,
): Promise<ProviderAccount | undefined> {
  if (checked === undefined) return currentAccount(tx, siteKeyHash);
  const { accountId, report } = checked;
  const existing = accountId === null ? undefined : await accountById(tx, accountId);
  return existing?.live === report.live && existing.siteKeyHash === siteKeyHash
    ? existing
    : undefined;
}

/**
 * Writes the account that a site is paid through. A new key of a known account continues it, even if it had
 * ended. A key of another account makes a new one; earlier accounts are used only for their own payments.
 */
export async function writeStripeAccount(
  { ids, secrets }: Context,
  tx: Transaction,
  siteKeyHash: string,
  {
    settings,
    checked,
    now,
  }: { settings: StripeSettings; checked: CheckedKey | undefined; now: number },
): Promise<Result<ProviderAccount, "invalid_request">> {
  const { secretKey, publishableKey, webhookSecret, approvalSecret, sharedTokens } = settings;
  const existing = await accountToKeep(tx, siteKeyHash, checked);
  const live = checked?.report.live ?? existing?.live;
  if (live === undefined) {
    return refuse("invalid_request", "secret_key: the key of the Stripe account is required.");
  }
  const fault = settingsFault(settings, live);
  if (fault !== undefined) return refuse("invalid_request", fault);
  await endAccounts(tx, siteKeyHash, now);
  const accountId = existing?.accountId ?? ids.id("pac");
  const sealed = (
    name: AccountSecret,
    secret: string | undefined,
    old: string | null | undefined,
  ) => (secret === undefined ? (old ?? null) : secrets.seal(secretPlace(accountId, name), secret));
  const account: ProviderAccount = {
    accountId,
    siteKeyHash,
    kind: "stripe",
    live,
    endedAt: null,
    externalId: checked?.report.externalId ?? existing?.externalId ?? null,
    publishableKey: publishableKey ?? existing?.publishableKey ?? null,
    sharedTokens: sharedTokens ?? existing?.sharedTokens ?? false,
    sealedKey: sealed("key", secretKey, existing?.sealedKey),
    sealedWebhookSecret: sealed("webhook secret", webhookSecret, existing?.sealedWebhookSecret),
    sealedApprovalSecret: sealed("approval secret", approvalSecret, existing?.sealedApprovalSecret),
    connectedAt: existing?.connectedAt ?? now,
  };
  await writeAccount(tx, account);
  return ok(account);
}
