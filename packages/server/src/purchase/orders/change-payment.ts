import { formatAmount, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import type { Order } from "../../domain/orders/order.js";
import { lockOrder } from "../../domain/orders/store.js";
import {
  CHANGES_MAX,
  type ChangeKind,
  isPending,
  type PaymentChange,
} from "../../domain/payments/changes/change.js";
import {
  changesOf,
  claimChange,
  dueChanges,
  insertChange,
} from "../../domain/payments/changes/store.js";
import { FIRST_LOOK_MS } from "../../domain/payments/schedule.js";
import { paymentById } from "../../domain/payments/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { providerOf } from "../settle.js";
import { checkFreeWords, type ShopOrigin } from "./line-change.js";
import { isCapturable, type MoneyLeft, moneyLeft } from "./money-left.js";
import { changeRecord, settleChange } from "./settle-change.js";
import { wholeOrder } from "./whole-order.js";

/** A capture or refund, as the owner asks for it. */
export interface RequestedChange {
  readonly kind: ChangeKind;
  /** Null captures what the buyer owes, or refunds all that is left. */
  readonly amountMinor: number | null;
  /** What the shop system refunded before the capture; it is not captured. */
  readonly refundedMinor?: number | undefined;
  readonly reason: string | null;
  /** The revision that the owner saw. A repeated request finds another one, so it moves nothing twice. */
  readonly revision: number;
  /** Undefined if a person asks for it. */
  readonly origin?: ShopOrigin | undefined;
}

export type ChangeFault = "not_found" | "conflict" | "invalid_request";

const AUTHORIZED_ONLY = "Only an authorized payment can be captured.";
const ALL_REFUNDED = "Nothing is left to capture. Cancel the order to void the payment.";
const CAPTURED_ONLY = "Only a captured payment can be refunded, up to what is left of it.";
export const CHANGED = "The order has changed since you opened it. Look at it again.";
export const UNDER_WAY = "A capture or refund of this order is under way. Wait for its outcome.";
const TOO_MANY = `An order can have at most ${CHANGES_MAX} captures and refunds.`;

/** The amount of a change, if it is not more than is left. */
function amountOf(
  { amount: { currency } }: Order,
  left: MoneyLeft,
  { kind, amountMinor, refundedMinor = 0 }: RequestedChange,
): Result<number, ChangeFault> {
  const { capture, refund } = left;
  const most = kind === "capture" ? capture?.maxMinor : refund?.maxMinor;
  if (most === undefined) {
    return refuse("conflict", kind === "capture" ? AUTHORIZED_ONLY : CAPTURED_ONLY);
  }
  const owed = (capture?.owedMinor ?? most) - refundedMinor;
  const minor = amountMinor ?? (kind === "capture" ? owed : most);
  if (minor <= 0) return refuse("conflict", ALL_REFUNDED);
  if (minor <= most) return ok(minor);
  const text = `${formatAmount({ minor: most, currency })} ${currency}`;
  return refuse("invalid_request", `amount_minor: must be at most ${text}.`);
}

async function readChange(
  context: Context,
  tx: Transaction,
  order: Order,
  requested: RequestedChange,
): Promise<Result<number, ChangeFault>> {
  const words = checkFreeWords(order, requested.reason);
  if (!words.ok) return words;
  const changes = await changesOf(tx, order.orderId);
  if (changes.some(isPending)) return refuse("conflict", UNDER_WAY);
  if (changes.length >= CHANGES_MAX) return refuse("conflict", TOO_MANY);
  if (requested.revision !== order.revision) return refuse("conflict", CHANGED);
  const payment = await paymentById(tx, order.attemptId);
  const isVoided = requested.kind === "capture" && !isCapturable(order, payment);
  if (payment === undefined || isVoided) return refuse("conflict", AUTHORIZED_ONLY);
  const provider = providerOf(context, payment);
  if (provider[requested.kind] === undefined) {
    return refuse("conflict", `You can ${requested.kind} only at your payment provider.`);
  }
  const left = moneyLeft(await wholeOrder(tx, order), changes);
  const minor = amountOf(order, left, requested);
  if (!minor.ok) return minor;
  const fault = provider.amountFault({ minor: minor.value, currency: order.amount.currency });
  return fault === undefined ? minor : refuse("invalid_request", `amount_minor: ${fault}.`);
}

/** What the owner reads if the provider did not do it. */
export function failureText({ kind, failure }: PaymentChange): string {
  if (failure === "processor_refused_key" || failure === "no_key") {
    return `The payment provider refused the key of this site. Allow it to ${kind} payments, or do it there.`;
  }
  return `The payment provider refused to ${kind} the payment: ${(failure ?? "").replaceAll("_", " ")}.`;
}

/** Writes the request to capture or refund before the provider is asked, so that no crash loses it. */
export async function commitChange(
  context: Context,
  { siteKeyHash, orderId }: Pick<Order, "siteKeyHash" | "orderId">,
  requested: RequestedChange,
  actor: Actor,
): Promise<Result<PaymentChange, ChangeFault>> {
  const { audit, clock, ids } = context;
  type Answer = Result<PaymentChange, ChangeFault>;
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx) => {
    const now = clock.now();
    const order = await lockOrder(tx, siteKeyHash, orderId);
    if (order === undefined) {
      return { records: [], answer: refuse("not_found", "The site has no such order.") };
    }
    const minor = await readChange(context, tx, order, requested);
    if (!minor.ok) return { records: [], answer: minor };
    const { attemptId, amount } = order;
    const payment = await paymentById(tx, attemptId);
    if (payment === undefined) throw new Error("a payment is gone");
    const change: PaymentChange = {
      changeId: ids.timeId("chg", now),
      siteKeyHash,
      orderId,
      attemptId,
      kind: requested.kind,
      amount: { minor: minor.value, currency: amount.currency },
      reason: requested.reason,
      requestedBy: actor.id,
      shopEventId: requested.origin?.eventId ?? null,
      status: "requested",
      failure: null,
      requestedAt: now,
      endedAt: null,
      tries: 0,
      nextAt: now + FIRST_LOOK_MS,
    };
    await insertChange(tx, change);
    await requested.origin?.write(tx);
    return { records: [changeRecord(payment, change, actor, now)], answer: ok(change) };
  });
  return answer;
}

/** Captures and refunds that one run of the job reconciles. */
const DUE_MAX = 100;

/** Finds out what became of captures and refunds that a crash or an unknown outcome left open. */
export async function reconcileChanges(context: Context, stopping: () => boolean): Promise<void> {
  const { clock, db, log } = context;
  for (const due of await dueChanges(db, clock.now(), DUE_MAX)) {
    if (stopping()) return;
    const until = clock.now() + FIRST_LOOK_MS;
    const isClaimed = await db.transaction((tx) => claimChange(tx, due, until));
    if (!isClaimed) continue;
    await settleChange(context, due, { first: false }).catch((error: unknown) => {
      log.error({ change_id: due.changeId, error }, "payment.not_reconciled");
    });
  }
}
