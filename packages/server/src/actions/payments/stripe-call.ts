import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  type AccountSecret,
  type ProviderAccount,
  secretPlace,
  usableAccounts,
} from "../../domain/payments/accounts/store.js";
import type { Payment } from "../../domain/payments/payment.js";
import { paymentById, paymentByReference } from "../../domain/payments/store.js";
import { verifyWebhook } from "../../payments/stripe/webhook-signature.js";

/** Accounts of a site whose secrets are tried: the one in use, and those before it. */
const ACCOUNTS_MAX = 5;

/** A call that is known to be Stripe's. */
export interface HookCall {
  readonly siteKeyHash: string;
  /** Those it may be for, the newest first: one secret may have been given for several. */
  readonly accounts: readonly ProviderAccount[];
  readonly body: HookBody;
}

/** What every call of Stripe's has. Anything else in it is read by whoever needs it. */
interface HookBody {
  readonly id: string;
  readonly type: string;
  readonly livemode: boolean;
  readonly data: unknown;
}

export type HookFault = "signature_invalid" | "wrong_mode" | "malformed";

const NAME = /^[\w.-]{1,255}$/;

function readBody(bytes: Uint8Array): HookBody | undefined {
  let value: unknown;
  try {
    // Signed by Stripe: it is theirs to say what is in it, and no stranger's.
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { id, type, livemode, data } = value as Partial<Record<keyof HookBody, unknown>>;
  if (typeof id !== "string" || !NAME.test(id) || typeof type !== "string" || !NAME.test(type)) {
    return undefined;
  }
  return typeof livemode === "boolean" ? { id, type, livemode, data } : undefined;
}

type HookSecret = Extract<AccountSecret, "webhook secret" | "approval secret">;

/** The accounts of a site that Stripe can have signed a call for, with their sealed secrets. */
async function signingAccounts({ db }: Context, siteKeyHash: string, secretName: HookSecret) {
  const accounts = await usableAccounts(db, siteKeyHash, ACCOUNTS_MAX);
  return accounts.flatMap((account) => {
    const { sealedWebhookSecret, sealedApprovalSecret } = account;
    const sealed = secretName === "webhook secret" ? sealedWebhookSecret : sealedApprovalSecret;
    return sealed === null ? [] : [{ account, sealed }];
  });
}

/** Whether the site has a secret for calls of this kind; without one they are not read. */
export async function expectsHook(
  context: Context,
  siteKeyHash: string,
  secretName: HookSecret,
): Promise<boolean> {
  return (await signingAccounts(context, siteKeyHash, secretName)).length > 0;
}

/** Opens a call: whose account it is for, that Stripe signed it, and that its mode is the key's. */
export async function openHook(
  context: Context,
  siteKeyHash: string,
  secretName: HookSecret,
  { bytes, signature }: { readonly bytes: Uint8Array; readonly signature: string | undefined },
): Promise<Result<HookCall, HookFault>> {
  const { secrets, clock } = context;
  const body = readBody(bytes);
  const signers: ProviderAccount[] = [];
  for (const { account, sealed } of await signingAccounts(context, siteKeyHash, secretName)) {
    const secret = secrets.open(secretPlace(account.accountId, secretName), sealed);
    if ((await verifyWebhook(bytes, signature, secret, clock.now())).ok) signers.push(account);
  }
  if (signers.length === 0) {
    return refuse("signature_invalid", "the call is not signed by Stripe for this site");
  }
  if (body === undefined) return refuse("malformed", "the call is no event of Stripe's");
  const accounts = signers.filter(({ live }) => live === body.livemode);
  if (accounts.length === 0) {
    return refuse("wrong_mode", "the call is of the other mode than the key of this site");
  }
  return ok({ siteKeyHash, accounts, body });
}

const textOf = (value: unknown) =>
  typeof value === "string" && NAME.test(value) ? value : undefined;

/** The attempt an event is about: by the id it was made with, else by what Stripe calls it. */
export async function paymentOfEvent(
  { db }: Context,
  { siteKeyHash, accounts, body: { data } }: HookCall,
): Promise<Payment | undefined> {
  const { object } = (data ?? {}) as { readonly object?: Record<string, unknown> };
  if (typeof object !== "object" || object === null) return undefined;
  const metadata = (object.metadata ?? {}) as Record<string, unknown>;
  const attemptId = textOf(metadata.gatehouse_attempt);
  const named = attemptId === undefined ? undefined : await paymentById(db, attemptId);
  const isOfCall = (payment: Payment) =>
    payment.siteKeyHash === siteKeyHash &&
    accounts.some(({ accountId }) => accountId === payment.accountId);
  if (named !== undefined && isOfCall(named)) return named;
  const intent = object.object === "payment_intent" ? object.id : object.payment_intent;
  const reference = textOf(intent);
  for (const { accountId } of reference === undefined ? [] : accounts) {
    const about = { reference: reference as string, accountId };
    const found = await paymentByReference(db, siteKeyHash, about);
    if (found !== undefined) return found;
  }
  return undefined;
}
