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
  isHookSecret,
  type KeyReport,
  ownsIntent,
  publishableMode,
  reportOnKey,
} from "../../payments/stripe/key.js";

export type { KeyReport, ProviderAccount };

/** Accounts of a site that a new key may be of: those whose secrets are still kept. */
const ACCOUNTS_MAX = 5;

/** What an owner gives of an account; what is left out stays as it is. */
export interface StripeSettings {
  readonly secretKey?: string | undefined;
  readonly publishableKey?: string | undefined;
  readonly webhookSecret?: string | undefined;
  readonly approvalSecret?: string | undefined;
  readonly sharedTokens?: boolean | undefined;
}

/** What is known of an account; never a secret. */
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

/** Asks Stripe what the key in use can do. */
export async function checkCurrentKey(
  { config, db, secrets }: Context,
  siteKeyHash: string,
): Promise<Result<KeyReport, "invalid_request" | "unavailable">> {
  const account = await currentAccount(db, siteKeyHash);
  if (account?.sealedKey == null) {
    const why =
      "No Stripe account is connected. Connect one with its key: site connect --secret-key-file.";
    return refuse("invalid_request", why);
  }
  const key = secrets.open(secretPlace(account.accountId, "key"), account.sealedKey);
  return reportOnKey(key, { apiBase: config.stripeApiBase });
}

/** A key that was asked about, and the account of this site it turned out to be of. */
export interface CheckedKey {
  readonly report: KeyReport;
  /** Null where it is of none that is known here. */
  readonly accountId: string | null;
}

/**
 * The account a key is of: by the name Stripe gives it, or, where the key may not ask, by whether it
 * can see a payment that was made with the account.
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
    if (reference !== undefined && (await ownsIntent(key, reference, { apiBase }))) {
      return accountId;
    }
    // Nothing was asked with it yet: whatever account the key is of, it can take this place.
    if (account.endedAt === null && !(await wasUsed(db, accountId))) return accountId;
  }
  return null;
}

/** Asks Stripe what a new key can do, and whose it is. */
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
    if (mode === undefined) return "publishable_key: give a publishable key of Stripe's (pk_…).";
    if ((mode === "live") !== live) {
      return "publishable_key: it is of the other mode than secret_key. Use two live or two test keys.";
    }
  }
  for (const [name, secret] of Object.entries({
    webhook_secret: webhookSecret,
    approval_secret: approvalSecret,
  })) {
    if (secret !== undefined && !isHookSecret(secret)) {
      return `${name}: give the signing secret of the endpoint (whsec_…).`;
    }
  }
  return undefined;
}

/** The account that is to be written over; undefined for a new one. */
async function accountToKeep(
  tx: Transaction,
  siteKeyHash: string,
  checked: CheckedKey | undefined,
): Promise<ProviderAccount | undefined> {
  if (checked === undefined) return currentAccount(tx, siteKeyHash);
  const { accountId, report } = checked;
  const kept = accountId === null ? undefined : await accountById(tx, accountId);
  return kept?.live === report.live && kept.siteKeyHash === siteKeyHash ? kept : undefined;
}

/**
 * Writes the account a site is paid through. The same account with another key goes on, also one
 * that had ended; another is a new one, and those before are only used for what was asked with them.
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
  const kept = await accountToKeep(tx, siteKeyHash, checked);
  const live = checked?.report.live ?? kept?.live;
  if (live === undefined) {
    return refuse("invalid_request", "secret_key: give the key of the Stripe account to connect.");
  }
  const fault = settingsFault(settings, live);
  if (fault !== undefined) return refuse("invalid_request", fault);
  await endAccounts(tx, siteKeyHash, now);
  const accountId = kept?.accountId ?? ids.id("pac");
  const sealed = (
    name: AccountSecret,
    given: string | undefined,
    old: string | null | undefined,
  ) => (given === undefined ? (old ?? null) : secrets.seal(secretPlace(accountId, name), given));
  const account: ProviderAccount = {
    accountId,
    siteKeyHash,
    kind: "stripe",
    live,
    endedAt: null,
    externalId: checked?.report.externalId ?? kept?.externalId ?? null,
    publishableKey: publishableKey ?? kept?.publishableKey ?? null,
    sharedTokens: sharedTokens ?? kept?.sharedTokens ?? false,
    sealedKey: sealed("key", secretKey, kept?.sealedKey),
    sealedWebhookSecret: sealed("webhook secret", webhookSecret, kept?.sealedWebhookSecret),
    sealedApprovalSecret: sealed("approval secret", approvalSecret, kept?.sealedApprovalSecret),
    connectedAt: kept?.connectedAt ?? now,
  };
  await writeAccount(tx, account);
  return ok(account);
}
