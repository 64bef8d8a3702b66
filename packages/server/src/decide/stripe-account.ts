import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import {
  type AccountSecret,
  type ProcessorAccount,
  secretPlace,
} from "../owners/payments/accounts/account.js";
import {
  currentAccount,
  endAccounts,
  forgetSecrets,
  writeAccount,
} from "../owners/payments/accounts/store.js";
import {
  isHookSecret,
  type KeyReport,
  publishableMode,
  reportOnKey,
} from "../owners/payments/stripe.js";
import type { Queries, Transaction } from "../platform/db/database.js";

export type { KeyReport, ProcessorAccount };
export { endAccounts, forgetSecrets };

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
    ProcessorAccount,
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

/** Asks Stripe what a key can do: a new one, or where none is given the one in use. */
export async function checkStripeKey(
  context: Context,
  siteKeyHash: string,
  secretKey: string | undefined,
): Promise<Result<KeyReport, "invalid_request" | "unavailable">> {
  const apiBase = context.config.stripeApiBase;
  if (secretKey !== undefined) return reportOnKey(secretKey, { apiBase });
  const account = await currentAccount(context.db, siteKeyHash);
  if (account?.sealedKey == null) {
    return refuse("invalid_request", "secret_key: give the key of the Stripe account to connect.");
  }
  const key = context.secrets.open(secretPlace(account.accountId, "key"), account.sealedKey);
  return reportOnKey(key, { apiBase });
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

/**
 * Writes the account a site is paid through. The same account with another key goes on; another
 * account, or one whose key does not say whose it is, is a new one, and the one before is only used
 * for what was asked with it.
 */
export async function writeStripeAccount(
  { ids, secrets }: Context,
  tx: Transaction,
  siteKeyHash: string,
  { settings, report, now }: { settings: StripeSettings; report: KeyReport; now: number },
): Promise<Result<ProcessorAccount, "invalid_request">> {
  const before = await currentAccount(tx, siteKeyHash);
  const { secretKey, publishableKey, webhookSecret, approvalSecret, sharedTokens } = settings;
  const fault = settingsFault(settings, report.live);
  if (fault !== undefined) return refuse("invalid_request", fault);
  const known = report.externalId !== null && report.externalId === before?.externalId;
  const same =
    before !== undefined && before.live === report.live && (known || secretKey === undefined);
  if (!same) await endAccounts(tx, siteKeyHash, now);
  const kept = same ? before : undefined;
  const accountId = kept?.accountId ?? ids.id("pac");
  const sealed = (
    name: AccountSecret,
    given: string | undefined,
    old: string | null | undefined,
  ) => (given === undefined ? (old ?? null) : secrets.seal(secretPlace(accountId, name), given));
  const account: ProcessorAccount = {
    ...{ accountId, siteKeyHash, kind: "stripe", live: report.live, endedAt: null },
    externalId: report.externalId,
    publishableKey: publishableKey ?? kept?.publishableKey ?? null,
    sharedTokens: sharedTokens ?? kept?.sharedTokens ?? false,
    sealedKey: sealed("key", secretKey, kept?.sealedKey),
    sealedWebhookSecret: sealed("webhook secret", webhookSecret, kept?.sealedWebhookSecret),
    sealedApprovalSecret: sealed("approval secret", approvalSecret, kept?.sealedApprovalSecret),
    connectedAt: kept?.connectedAt ?? now,
  };
  if (account.sealedKey === null) {
    return refuse("invalid_request", "secret_key: give the key of the Stripe account to connect.");
  }
  await writeAccount(tx, account);
  return ok(account);
}
