import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { orderById } from "../../domain/orders/store.js";
import type { Payment } from "../../domain/payments/payment.js";
import { paymentById } from "../../domain/payments/store.js";
import type { Transaction } from "../../infra/db/database.js";
import {
  capturedLeft,
  endAuthorization,
  endDisputes,
  insertReturn,
  lockAuthorization,
  returnsOf,
  type SandboxRow,
} from "../../payments/sandbox/store.js";
import { syncReturns } from "../../purchase/orders/sync-returns.js";
import { syncPayment } from "../../purchase/reconcile.js";

/** What an owner or a bank would do at a real provider. */
export const SANDBOX_EVENTS = [
  "capture",
  "refund",
  "dispute",
  "win_dispute",
  "lose_dispute",
  "lapse",
] as const;

export interface SandboxEvent {
  readonly event: (typeof SANDBOX_EVENTS)[number];
  /** For a capture or refund; null for the full amount. */
  readonly amountMinor: number | null;
}

const RETURNS_MAX = 50;

export type SimulationFault = "not_found" | "conflict" | "invalid_request";

async function insertMoneyReturn(
  { clock, ids }: Context,
  tx: Transaction,
  row: SandboxRow,
  { event, amountMinor }: SandboxEvent,
): Promise<string | undefined> {
  const { reference } = row;
  if ((await returnsOf(tx, reference)).length >= RETURNS_MAX)
    return `A payment can have at most ${RETURNS_MAX} refunds and disputes.`;
  const left = await capturedLeft(tx, row);
  const minor = amountMinor ?? left;
  if (minor < 1 || minor > left)
    return "The amount is larger than what is left of the captured payment.";
  const refund = event === "refund";
  const returnId = ids.id(refund ? "re" : "dp");
  const status = refund ? "completed" : "pending";
  const moneyReturn = {
    returnId,
    reference,
    amountMinor: minor,
    createdAt: clock.now(),
    status,
  } as const;
  await insertReturn(tx, { ...moneyReturn, kind: refund ? "refund" : "dispute" });
  return undefined;
}

/** Applies the event to the sandbox's rows. Returns why it cannot be done, if so. */
async function applyToSandbox(
  context: Context,
  tx: Transaction,
  reference: string,
  simulated: SandboxEvent,
): Promise<string | undefined> {
  const { event, amountMinor } = simulated;
  const row = await lockAuthorization(tx, reference);
  if (row === undefined) return "The sandbox has no such payment.";
  if (event === "capture" || event === "lapse") {
    const minor = event === "capture" ? (amountMinor ?? row.amount.minor) : null;
    if (minor !== null && minor > row.amount.minor)
      return "The amount is larger than the authorized amount.";
    const status = event === "capture" ? "captured" : "lapsed";
    const ended = await endAuthorization(tx, reference, { status, capturedMinor: minor });
    return ended ? undefined : `The payment is ${row.status} and cannot be captured.`;
  }
  if (row.status !== "captured") return "The payment is not captured yet. Capture it first.";
  if (event === "refund" || event === "dispute") {
    return insertMoneyReturn(context, tx, row, simulated);
  }
  const won = event === "win_dispute";
  const ended = await endDisputes(tx, reference, won ? "failed" : "completed");
  return ended > 0 ? undefined : "There is no open dispute.";
}

async function sandboxPayment(
  { db }: Context,
  siteKeyHash: string,
  orderId: string,
): Promise<Payment | undefined> {
  const order = await orderById(db, siteKeyHash, orderId);
  return order && paymentById(db, order.attemptId);
}

/**
 * Simulates what happens at a real provider after a sale: the sandbox writes the event, then the order is
 * synced as after a webhook.
 */
export async function simulateSandboxEvent(
  context: Context,
  { siteKeyHash, orderId }: { readonly siteKeyHash: string; readonly orderId: string },
  simulated: SandboxEvent,
): Promise<Result<true, SimulationFault>> {
  const payment = await sandboxPayment(context, siteKeyHash, orderId);
  if (payment === undefined) return refuse("not_found", "The site has no such order.");
  const { reference, provider } = payment;
  if (provider !== "sandbox" || reference === null) {
    return refuse("conflict", "Events can be simulated only for sandbox orders.");
  }
  const fault = await context.db.transaction((tx) =>
    applyToSandbox(context, tx, reference, simulated),
  );
  if (fault !== undefined) return refuse("conflict", fault);
  await syncPayment(context, payment);
  await syncReturns(context, payment.attemptId);
  return ok(true);
}
