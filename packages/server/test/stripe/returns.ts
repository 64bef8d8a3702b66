import { type Dispute, newDispute, newRefund, type Refund } from "./adjustments.ts";
import type { Ledger } from "./ledger.ts";
import { type Charge, type Intent, newId } from "./objects.ts";
import { invalid } from "./refusals.ts";

/** What of a charge has neither gone back nor was never taken. */
const left = ({ amount, amount_refunded }: Charge) => amount - amount_refunded;

function giveBack(
  ledger: Ledger,
  charge: Charge,
  terms: { readonly amount: number; readonly reason: Refund["reason"] },
): Refund {
  const refund = ledger.keep(newRefund(newId("re"), ledger.stamp(), charge, terms));
  charge.amount_refunded += terms.amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  return refund;
}

/**
 * Lets go of what was authorized and not taken. Stripe counts it as refunded, with a refund of its
 * own, though no money ever moved.
 */
export function release(ledger: Ledger, charge: Charge, reason: Refund["reason"]): Refund {
  return giveBack(ledger, charge, { amount: charge.amount - charge.amount_captured, reason });
}

function takenBy(ledger: Ledger, { id, latest_charge }: Intent): Charge {
  const charge = ledger.find("charge", latest_charge);
  if (!charge?.captured) throw new Error(`nothing was taken for ${id}`);
  return charge;
}

/** Money that was taken goes back, all that is left of it unless told how much. */
export function refund(
  ledger: Ledger,
  intent: Intent,
  amount?: number,
  status: RefundStatus = "succeeded",
): string {
  const charge = takenBy(ledger, intent);
  const back = amount ?? left(charge);
  if (back < 1 || back > left(charge)) throw new Error(`not as much is left of ${charge.id}`);
  const made = giveBack(ledger, charge, { amount: back, reason: "requested_by_customer" });
  made.status = status;
  ledger.tell("refund.created", made);
  ledger.tell("charge.refunded", charge);
  return made.id;
}

/** The same, asked for over the API. */
export function refundAsked(
  ledger: Ledger,
  intent: Intent,
  { amount, metadata }: { readonly amount: number | undefined; readonly metadata: Metadata },
): Refund {
  const charge = ledger.find("charge", intent.latest_charge);
  if (!charge?.captured) throw invalid("This PaymentIntent has no successful charge to refund.");
  if (left(charge) === 0) {
    throw invalid(`Charge ${charge.id} has already been refunded.`, {
      code: "charge_already_refunded",
    });
  }
  if ((amount ?? 0) > left(charge)) {
    throw invalid("Refund amount is greater than unrefunded amount on charge.", {
      code: "amount_too_large",
      param: "amount",
    });
  }
  const made = ledger.find("refund", refund(ledger, intent, amount)) as Refund;
  made.metadata = { ...metadata };
  made.reason = null;
  return made;
}

type Metadata = Readonly<Record<string, string>>;

type RefundStatus = "pending" | "requires_action" | "succeeded" | "failed" | "canceled";

/** What became of a refund that took its time. */
export function moveRefund(ledger: Ledger, id: string, status: RefundStatus): void {
  const found = ledger.find("refund", id);
  if (found === undefined) throw new Error(`no such refund: ${id}`);
  found.status = status;
  ledger.tell("refund.updated", found);
  if (status === "failed") ledger.tell("refund.failed", found);
}

/** The bank of the card takes the money back for the time being; of an inquiry it only asks. */
export function dispute(ledger: Ledger, intent: Intent, inquiry = false): string {
  const charge = takenBy(ledger, intent);
  const made = ledger.keep(newDispute(newId("dp"), ledger.stamp(), charge));
  charge.disputed = true;
  if (inquiry) made.status = "warning_needs_response";
  ledger.tell("charge.dispute.created", made);
  if (!inquiry) ledger.tell("charge.dispute.funds_withdrawn", made);
  return made.id;
}

const CLOSED = ["won", "lost", "warning_closed"];

/** How a dispute goes on. */
export function moveDispute(ledger: Ledger, id: string, status: Dispute["status"]): void {
  const found = ledger.find("dispute", id);
  if (found === undefined) throw new Error(`no such dispute: ${id}`);
  found.status = status;
  ledger.tell(`charge.dispute.${CLOSED.includes(status) ? "closed" : "updated"}`, found);
  if (status === "won") ledger.tell("charge.dispute.funds_reinstated", found);
}
