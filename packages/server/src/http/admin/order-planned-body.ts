import { z } from "@hono/zod-openapi";
import { EVENT_TYPES } from "../../domain/orders/adjustments/adjustment.js";
import type { PlannedShipment } from "../../domain/orders/planned/planned-shipment.js";
import { isoTime } from "../../infra/clock.js";
import { Timestamp } from "../server/schemas.js";

export const LineQuantity = z.object({ id: z.string(), quantity: z.int() });

export const PlannedBody = z
  .object({
    type: z.enum(EVENT_TYPES),
    line_items: z.array(LineQuantity).nullable().openapi({
      description: "null for everything that it applies to.",
    }),
    by: z.string().openapi({ description: "The id of the token or person." }),
    takes_effect_at: Timestamp,
    problem: z.string().nullable().openapi({ description: "Why it did not take effect." }),
  })
  .openapi("PlannedShipment");

export function plannedBody(plan: PlannedShipment): z.infer<typeof PlannedBody> {
  const { shipment, actor, dueAt, problem } = plan;
  return {
    type: shipment.type,
    line_items: shipment.lines === null ? null : [...shipment.lines],
    by: actor.id,
    takes_effect_at: isoTime(dueAt),
    problem,
  };
}
