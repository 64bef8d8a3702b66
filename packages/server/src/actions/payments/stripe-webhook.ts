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
import { eventSeen, noteEvent } from "../../domain/provider-events/store.js";
import { verifyWebhook } from "../../payments/stripe/webhook-signature.js";
import { syncReturns } from "../../purchase/orders/sync-returns.js";
import { syncPayment } from "../../purchase/reconcile.js";

/** Accounts of a site whose secrets are tried, the one in use first. */
const ACCOUNTS_MAX = 5;

/** A call that Stripe has signed. */
export interface WebhookCall {
  readonly siteKeyHash: string;
  /** The accounts with this secret, newest first. Several accounts can have the same secret. */
  readonly accounts: readonly ProviderAccount[];
  readonly body: WebhookBody;
}

/** The members of every call. */
interface WebhookBody {
  readonly id: string;
  readonly type: string;
  readonly livemode: boolean;
  readonly data: unknown;
}

export type WebhookFault = "signature_invalid" | "wrong_mode" | "malformed";

const NAME = /^[\w.-]{1,255}$/;

function readBody(bytes: Uint8Array): WebhookBody | undefined {
  let value: unknown;
  try {
    // Stripe signs the body, so it need not be strict JSON.
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { id, type, livemode, data } = value as Partial<Record<keyof WebhookBody, unknown>>;
  if (typeof id !== "string" || !NAME.test(id) || typeof type !== "string" || !NAME.test(type)) {
    return undefined;
  }
  return typeof livemode === "boolean" ? { id, type, livemode, data } : undefined;
}

type WebhookSecret = Extract<AccountSecret, "webhook secret" | "approval secret">;

/** The accounts of a site that Stripe can have signed a call for, with their sealed secrets. */
async function signingAccounts({ db }: Context, siteKeyHash: string, secretName: WebhookSecret) {
  const accounts = await usableAccounts(db, siteKeyHash, ACCOUNTS_MAX);
  return accounts.flatMap((account) => {
    const { sealedWebhookSecret, sealedApprovalSecret } = account;
    const sealed = secretName === "webhook secret" ? sealedWebhookSecret : sealedApprovalSecret;
    return sealed === null ? [] : [{ account, sealed }];
  });
}

/** Whether the site has a secret for such calls. Without one their bodies are not read. */
export async function expectsWebhook(
  context: Context,
  siteKeyHash: string,
  secretName: WebhookSecret,
): Promise<boolean> {
  return (await signingAccounts(context, siteKeyHash, secretName)).length > 0;
}

/** Verifies a call: its signature, its account, and that its mode is that of the account. */
export async function openWebhook(
  context: Context,
  siteKeyHash: string,
  secretName: WebhookSecret,
  { bytes, signature }: { readonly bytes: Uint8Array; readonly signature: string | undefined },
): Promise<Result<WebhookCall, WebhookFault>> {
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
  if (body === undefined) return refuse("malformed", "the call is not a Stripe event");
  const accounts = signers.filter(({ live }) => live === body.livemode);
  if (accounts.length === 0) {
    return refuse("wrong_mode", "the call has a different mode than the key of this site");
  }
  return ok({ siteKeyHash, accounts, body });
}

const textOf = (value: unknown) =>
  typeof value === "string" && NAME.test(value) ? value : undefined;

/** Stripe's ids under which the payment of an object may be known. A paid page has an id and an intent. */
function referencesOf({ object, id, payment_intent }: Record<string, unknown>): readonly string[] {
  const isPage = object === "checkout.session";
  const ids = object === "payment_intent" ? [id] : isPage ? [id, payment_intent] : [payment_intent];
  return ids.map(textOf).filter((name) => name !== undefined);
}

/** The payment of an event: by the attempt id in its metadata, or by Stripe's id. */
async function paymentOfEvent(
  { db }: Context,
  { siteKeyHash, accounts, body: { data } }: WebhookCall,
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
  for (const reference of referencesOf(object)) {
    for (const { accountId } of accounts) {
      const match = await paymentByReference(db, siteKeyHash, { reference, accountId });
      if (match !== undefined) return match;
    }
  }
  return undefined;
}

/** Events about authorizations, payment pages, and refunds and disputes. All others are ignored. */
const PAYMENT_EVENTS = /^(?:payment_intent\.|charge\.(?:captured|expired|updated)$)/;
const PAGE_EVENTS = /^checkout\.session\.(?:completed$|expired$|async_payment_)/;
const RETURN_EVENTS = /^(?:refund\.|charge\.refund|charge\.dispute\.)/;

/**
 * Handles an event. It only says that something has changed; the state is read from Stripe. So events may come
 * twice, late and in any order.
 */
export async function handleStripeEvent(context: Context, call: WebhookCall): Promise<void> {
  const { db, clock } = context;
  const { siteKeyHash } = call;
  const { id, type } = call.body;
  const isReturn = RETURN_EVENTS.test(type);
  if (!isReturn && !PAYMENT_EVENTS.test(type) && !PAGE_EVENTS.test(type)) return;
  if (await eventSeen(db, siteKeyHash, id)) return;
  const payment = await paymentOfEvent(context, call);
  if (payment === undefined) return;
  await syncPayment(context, payment);
  if (isReturn) await syncReturns(context, payment.attemptId);
  // Noted after it took effect: after a crash before this line, Stripe sends the event again.
  await db.transaction((tx) => noteEvent(tx, { siteKeyHash, eventId: id, type }, clock.now()));
}
