import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { orderById } from "../../domain/orders/store.js";
import type { Payment } from "../../domain/payments/payment.js";
import { paymentById } from "../../domain/payments/store.js";
import type { Transaction } from "../../infra/db/database.js";
import {
  endAuthorization,
  endDisputes,
  holdAuthorization,
  insertReturn,
  returnsOf,
} from "../../payments/sandbox/returns/store.js";
import { sandboxByReference } from "../../payments/sandbox/store.js";
import { followPayment } from "../reconcile.js";
import { followReturns } from "./follow-returns.js";

/** What an owner, or a bank, would do at a real provider. */
export const REHEARSALS = [
  ...(["capture", "refund", "dispute", "win_dispute", "lose_dispute", "lapse"] as const),
] as const;

export interface Rehearsal {
  readonly event: (typeof REHEARSALS)[number];
  /** Of a capture or a refund; all there is where it says nothing. */
  readonly amountMinor: number | null;
}

/** More is no rehearsal. */
const RETURNS_MAX = 50;

export type RehearsalFault = "not_found" | "conflict" | "invalid_request";

/** Money goes back, or is about to. */
async function giveBack(
  { clock, ids }: Context,
  tx: Transaction,
  { reference, takenMinor }: { readonly reference: string; readonly takenMinor: number },
  { event, amountMinor }: Rehearsal,
): Promise<string | undefined> {
  const all = await returnsOf(tx, reference);
  if (all.length >= RETURNS_MAX) return `A payment is given back in ${RETURNS_MAX} pieces at most.`;
  const before = all.filter(({ status }) => status !== "failed");
  const left = before.reduce((sum, one) => sum - one.amountMinor, takenMinor);
  const minor = amountMinor ?? left;
  if (minor < 1 || minor > left) return "Not as much is left of what was taken.";
  const refund = event === "refund";
  const returnId = ids.id(refund ? "re" : "dp");
  const status = refund ? "completed" : "pending";
  const made = { returnId, reference, amountMinor: minor, createdAt: clock.now(), status } as const;
  await insertReturn(tx, { ...made, kind: refund ? "refund" : "dispute" });
  return undefined;
}

/** Does it in the books of the embedded provider; why it cannot be done. */
async function inTheBooks(
  context: Context,
  tx: Transaction,
  reference: string,
  rehearsal: Rehearsal,
): Promise<string | undefined> {
  const { event, amountMinor } = rehearsal;
  await holdAuthorization(tx, reference);
  const row = await sandboxByReference(tx, reference);
  if (row === undefined) return "The processor knows of no such payment.";
  if (event === "capture" || event === "lapse") {
    const minor = event === "capture" ? (amountMinor ?? row.amount.minor) : null;
    if (minor !== null && minor > row.amount.minor) return "Not as much is authorized.";
    const status = event === "capture" ? "captured" : "lapsed";
    const ended = await endAuthorization(tx, reference, { status, capturedMinor: minor });
    return ended ? undefined : `The payment is ${row.status}: nothing can be taken of it.`;
  }
  if (row.status !== "captured") return "Nothing was taken yet: capture it first.";
  if (event === "refund" || event === "dispute") {
    const takenMinor = row.capturedMinor ?? row.amount.minor;
    return giveBack(context, tx, { reference, takenMinor }, rehearsal);
  }
  const won = event === "win_dispute";
  const ended = await endDisputes(tx, reference, won ? "failed" : "completed");
  return ended > 0 ? undefined : "No dispute is open.";
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
 * Plays what would happen at a real provider after a sale, at the embedded one: written there as if
 * it were elsewhere, then followed like an event that came in.
 */
export async function simulateSandboxEvent(
  context: Context,
  { siteKeyHash, orderId }: { readonly siteKeyHash: string; readonly orderId: string },
  rehearsal: Rehearsal,
): Promise<Result<true, RehearsalFault>> {
  const payment = await sandboxPayment(context, siteKeyHash, orderId);
  if (payment === undefined) return refuse("not_found", "The site has no such order.");
  const { reference, provider } = payment;
  if (provider !== "sandbox" || reference === null) {
    return refuse("conflict", "Only what the sandbox authorized can be rehearsed with.");
  }
  const fault = await context.db.transaction((tx) => inTheBooks(context, tx, reference, rehearsal));
  if (fault !== undefined) return refuse("conflict", fault);
  await followPayment(context, payment);
  await followReturns(context, payment.attemptId);
  return ok(true);
}
