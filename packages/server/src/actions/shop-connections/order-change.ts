import type { JsonObject } from "@gatehouse/protocol";
import type { RequestedLines } from "../../purchase/orders/line-change.js";

/** A change of an order that was made in the shop system. */
export type OrderChange =
  | {
      readonly kind: "sent";
      readonly lines: RequestedLines;
      readonly carrier: string | null;
      readonly trackingNumber: string | null;
      readonly trackingUrl: string | null;
      readonly capture: boolean;
      /** What the shop refunded before the capture. */
      readonly refundedMinor?: number;
    }
  | { readonly kind: "delivered"; readonly lines: RequestedLines }
  | { readonly kind: "cancelled"; readonly lines: RequestedLines; readonly reason: string | null }
  | { readonly kind: "captured"; readonly amountMinor: number | null }
  | { readonly kind: "refunded"; readonly amountMinor: number; readonly reason: string | null };

/** A change with the id that the shop system repeats it with. */
export interface OrderChangeEvent {
  readonly eventId: string;
  readonly orderId: string;
  readonly change: OrderChange;
}

/** What became of a change: `pending` while the payment provider has not answered. */
export interface ChangeOutcome extends JsonObject {
  readonly state: "done" | "pending" | "refused";
  readonly problem?: string;
}
