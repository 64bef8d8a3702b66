import type { JsonObject, Money, PaymentHandler } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { insertAttempt } from "../domain/declines/store.js";
import { currentAccount } from "../domain/payments/accounts/store.js";
import type { OrderedItem, Payment } from "../domain/payments/payment.js";
import { insertPayment } from "../domain/payments/store.js";
import { reserve } from "../domain/products/store.js";
import type { Transaction } from "../infra/db/database.js";
import { countedCaller, type PaymentCaller } from "./payment-caller.js";
import { FIRST_LOOK_MS } from "./retries.js";

export type { Payment };

/** What a decision wants paid. */
export interface PaymentRequest {
  readonly siteKeyHash: string;
  readonly decisionId: string;
  readonly escalationId: string | null;
  readonly checkout: { readonly checkoutId: string; readonly returnUrl: string | null } | null;
  readonly processor: PaymentHandler;
  readonly amount: Money;
  readonly items: readonly OrderedItem[];
  readonly token: string;
  /** The caller it counts for if it is declined. */
  readonly caller: PaymentCaller;
  /** The record that says the payment was requested. */
  readonly recordId: string;
  /** What the agent is told once it is authorized. */
  readonly answer: Payment["answer"];
  /** Who asked for what, as records say it. */
  readonly about: JsonObject;
}

/** Where a token is kept; sealed, it opens nowhere else. */
export const tokenPlace = (attemptId: string) => `payment ${attemptId}`;

/** Why a sum cannot be asked of a processor exactly; undefined where it can. */
export function amountFault(
  { processors }: Context,
  handler: PaymentHandler,
  amount: Money,
): string | undefined {
  const processor = processors[handler];
  return processor === undefined ? "no such processor is built in" : processor.amountFault(amount);
}

/** The account a site is paid through, as the transaction sees it; null where there is none to have. */
async function accountFor(
  tx: Transaction,
  { siteKeyHash, processor }: PaymentRequest,
): Promise<string | null> {
  if (processor === "sandbox") return null;
  const account = await currentAccount(tx, siteKeyHash);
  if (account === undefined) throw new Error("a site is paid through an account it does not have");
  return account.accountId;
}

/**
 * Writes down that a processor will be asked, in the transaction of the decision that wants it: the
 * stock is set aside, the token sealed. A crash from here on leaves a row that is looked after.
 */
export async function requestPayment(
  context: Context,
  tx: Transaction,
  request: PaymentRequest,
  now: number,
): Promise<Payment> {
  const { ids, secrets } = context;
  const { token, caller, recordId, items, checkout, ...asked } = request;
  const attemptId = ids.timeId("pay", now);
  const counted = countedCaller(context, request.siteKeyHash, caller, token);
  const payment: Payment = {
    ...asked,
    attemptId,
    items,
    parentRecordId: recordId,
    accountId: await accountFor(tx, request),
    checkoutId: checkout?.checkoutId ?? null,
    returnUrl: checkout?.returnUrl ?? null,
    challengeUrl: null,
    sealedToken: secrets.seal(tokenPlace(attemptId), token),
    tokenMac: counted.instrumentMac,
    status: "requested",
    reference: null,
    reason: null,
    requestedAt: now,
    tries: 0,
    nextAt: now + FIRST_LOOK_MS,
  };
  await reserve(tx, request.siteKeyHash, items);
  await insertPayment(tx, payment);
  await insertAttempt(tx, attemptId, counted, now);
  return payment;
}
