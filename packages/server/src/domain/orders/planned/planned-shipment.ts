import type { JsonObject } from "@gatehouse/protocol";
import type { LineQuantity, OrderEvent } from "../adjustments/adjustment.js";

/** An event of a shipment as the owner reported it. */
export interface ReportedShipment
  extends Pick<OrderEvent, "type" | "carrier" | "trackingNumber" | "trackingUrl" | "description"> {
  /** Null for everything that the event can apply to. */
  readonly lines: readonly LineQuantity[] | null;
  /** Null for the time at which it takes effect. */
  readonly occurredAt: number | null;
}

/** A shipment that takes effect at `dueAt`, unless it is undone before. */
export interface PlannedShipment {
  readonly orderId: string;
  readonly siteKeyHash: string;
  readonly shipment: ReportedShipment;
  /** The actor as records name it. */
  readonly actor: JsonObject & { readonly id: string };
  readonly dueAt: number;
  /** Why it did not take effect. */
  readonly problem: string | null;
}
