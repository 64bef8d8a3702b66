import type { Order } from "../../domain/orders/order.js";
import { isPending, type PaymentChange } from "../../domain/payments/changes/change.js";
import type { Payment } from "../../domain/payments/payment.js";
import type { WholeOrder } from "./whole-order.js";

/** What an owner can still capture and refund of an order. */
export interface MoneyLeft {
  /** Null if nothing can be captured, or a capture is under way. */
  readonly capture: { readonly maxMinor: number; readonly owedMinor: number } | null;
  /** Null if nothing can be refunded, or a refund is under way. */
  readonly refund: { readonly maxMinor: number } | null;
}

/** What the buyer owes without cancelled items: taxes and discounts go with the goods, delivery stays. */
function owedMinor({ order, lines, checkout }: WholeOrder): number {
  const { minor } = order.amount;
  const goodsOf = (count: (line: WholeOrder["lines"][number]) => number) =>
    lines.reduce((sum, line) => sum + BigInt(count(line)) * BigInt(line.unit_minor), 0n);
  const all = goodsOf(({ quantity }) => quantity);
  const cancelled = goodsOf(({ quantity, total }) => quantity - total);
  if (cancelled === 0n || cancelled === all) return minor;
  const forGoods = BigInt(minor - (checkout?.quote.totals.shippingMinor ?? 0));
  // Rounded to the nearest.
  return minor - Number((2n * forGoods * cancelled + all) / (2n * all));
}

/** Money that goes back or may go back. A bank holds a disputed sum until the dispute ends. */
function returnedMinor({ adjustments }: WholeOrder): number {
  return adjustments
    .filter(({ status }) => status !== "failed")
    .reduce((sum, { amountMinor }) => sum + (amountMinor ?? 0), 0);
}

/** How much of a captured payment exceeds what the buyer owes, if the shop refunded a sum before the capture. */
export function overpaidMinor(whole: WholeOrder, refundedMinor: number): number {
  const { amount, capturedMinor } = whole.order;
  const kept = (capturedMinor ?? amount.minor) - returnedMinor(whole);
  return Math.max(0, kept - (owedMinor(whole) - refundedMinor));
}

/** Whether a capture may be sent. The authorization of a cancelled order is voided, or will be. */
export function isCapturable(
  order: Pick<Order, "payment" | "status"> | undefined,
  payment: Pick<Payment, "status"> | undefined,
): boolean {
  const isAuthorized = order?.payment === "authorized" && payment?.status === "authorized";
  return isAuthorized && order.status !== "cancelled";
}

export function moneyLeft(whole: WholeOrder, changes: readonly PaymentChange[]): MoneyLeft {
  const { payment, amount, capturedMinor } = whole.order;
  const waits = changes.some(isPending);
  const left = (capturedMinor ?? amount.minor) - returnedMinor(whole);
  return {
    capture:
      payment === "authorized" && !waits
        ? { maxMinor: amount.minor, owedMinor: owedMinor(whole) }
        : null,
    refund: payment === "captured" && !waits && left > 0 ? { maxMinor: left } : null,
  };
}
