import { z } from "@hono/zod-openapi";
import { CHANGE_KINDS, CHANGE_STATUSES } from "../../domain/payments/changes/change.js";
import { isoTime } from "../../infra/clock.js";
import type { PaymentFacts } from "../../purchase/orders/payment-facts.js";
import { Timestamp, timeOrNull } from "../server/schemas.js";

const PaymentChangeBody = z.object({
  change_id: z.string(),
  kind: z.enum(CHANGE_KINDS),
  status: z.enum(CHANGE_STATUSES).openapi({
    description: "`unknown`: the payment provider has not answered. It is asked again.",
  }),
  amount_minor: z.int(),
  reason: z.string().nullable(),
  failure: z.string().nullable().openapi({ description: "Why the payment provider refused." }),
  requested_by: z.string(),
  requested_at: Timestamp,
  ended_at: Timestamp.nullable(),
});

/** What owners see of the payment. */
export const PaymentFactsBody = z.object({
  processor: z.string().openapi({ description: "The payment provider." }),
  url: z
    .string()
    .nullable()
    .openapi({ description: "The payment in the dashboard of the payment provider." }),
  capture: z
    .object({ max_minor: z.int(), owed_minor: z.int() })
    .nullable()
    .openapi({ description: "What can be captured. null if nothing can." }),
  refund: z
    .object({ max_minor: z.int() })
    .nullable()
    .openapi({ description: "What can be refunded. null if nothing can." }),
  changes: z.array(PaymentChangeBody).openapi({
    description: "Captures and refunds that were requested here.",
  }),
});

export function factsBody(
  facts: PaymentFacts | undefined,
): z.infer<typeof PaymentFactsBody> | null {
  if (facts === undefined) return null;
  const { provider, url, left, changes } = facts;
  const { capture, refund } = left;
  return {
    processor: provider,
    url,
    capture: capture && { max_minor: capture.maxMinor, owed_minor: capture.owedMinor },
    refund: refund && { max_minor: refund.maxMinor },
    changes: changes.map((one) => ({
      change_id: one.changeId,
      kind: one.kind,
      status: one.status,
      amount_minor: one.amount.minor,
      reason: one.reason,
      failure: one.failure,
      requested_by: one.requestedBy,
      requested_at: isoTime(one.requestedAt),
      ended_at: timeOrNull(one.endedAt),
    })),
  };
}
