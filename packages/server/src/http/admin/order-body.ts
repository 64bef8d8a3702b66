import { z } from "@hono/zod-openapi";
import type { ListedOrder, ShownOrder } from "../../actions/orders/read-orders.js";
import { EVENT_TYPES, type OrderNote } from "../../domain/orders/adjustments/adjustment.js";
import { ORDER_STATUSES, type Order, PAYMENT_STATES } from "../../domain/orders/order.js";
import { isoTime } from "../../infra/clock.js";
import { Timestamp, timeOrNull } from "../server/schemas.js";
import { MessageBody, messageBody } from "./messages.js";
import { factsBody, PaymentFactsBody } from "./order-payment-body.js";
import { LineQuantity, PlannedBody, plannedBody } from "./order-planned-body.js";
import { Purchase } from "./purchase.js";
import { MoneyBody } from "./schemas.js";

const OrderStatus = z.enum(ORDER_STATUSES);
export const PaymentState = z.enum(PAYMENT_STATES);

const Item = z.object({
  id: z.string(),
  title: z.string(),
  quantity: z.int(),
  unit_minor: z.int(),
});

const IsTest = z.boolean().openapi({
  description: "Whether it is a test order: no real money, and nothing to ship.",
});

export const OrderBody = z
  .object({
    order_id: z.string(),
    number: z.int().openapi({
      description: "The order as people call it, unique and rising for each site.",
      example: 1042,
    }),
    status: OrderStatus.openapi({ description: "The state of the shipment." }),
    agent_id: z.string().openapi({ description: "The agent or platform that ordered." }),
    skill: z.string(),
    protocol: z.string(),
    mandate_id: z.string().nullable(),
    checkout_id: z.string().nullable().openapi({ description: "The checkout of the order." }),
    decision_id: z.string(),
    attempt_id: z
      .string()
      .openapi({ description: "The id of the payment at the payment provider." }),
    items: z.array(Item),
    amount: MoneyBody,
    payment: PaymentState.openapi({
      description:
        "`authorized`: you can capture it. `captured`: you captured it. `released`: it was voided. `lapsed`: it expired.",
    }),
    lapses_at: Timestamp.nullable().openapi({
      description:
        "When the authorization expires. Capture the payment before then. null if not known.",
    }),
    lapses_in_seconds: z
      .int()
      .nullable()
      .openapi({ description: "The time until the authorization expires." }),
    captured_minor: z.int().nullable(),
    refunded_minor: z.int().openapi({ description: "What the buyer got back by refunds." }),
    payment_changed_at: Timestamp.nullable().openapi({
      description: "When the payment was captured or voided, or expired.",
    }),
    revision: z.int().openapi({ description: "Increases with every change of the order." }),
    created_at: Timestamp,
    shop_order_id: z.string().nullable().openapi({
      description: "The id of the order in the shop system; null if it has none.",
    }),
    erased_at: Timestamp.nullable().openapi({
      description: "When the personal data of the order was erased. null while it is kept.",
    }),
  })
  .openapi("Order");

/** An order in a list also says whether it is a test, and who bought. */
export const ListedOrderBody = OrderBody.extend({
  is_test: IsTest,
  buyer_name: z.string().nullable().openapi({
    description: "The name of the buyer, only visible to owners. null if it is not known.",
  }),
}).openapi("ListedOrder");

const LineBody = Item.extend({
  line_id: z.string().openapi({ example: "li_1" }),
  image_url: z.string().nullable(),
  total: z.int().openapi({ description: "The quantity without cancelled items." }),
  fulfilled: z.int().openapi({ description: "The quantity that was sent." }),
  delivered: z.int().openapi({ description: "The quantity that was delivered." }),
});

const EventBody = z.object({
  event_id: z.string(),
  type: z.enum(EVENT_TYPES),
  line_items: z.array(LineQuantity),
  carrier: z.string().nullable(),
  tracking_number: z.string().nullable(),
  tracking_url: z.string().nullable(),
  description: z.string().nullable(),
  occurred_at: Timestamp,
});

const AdjustmentBody = z.object({
  adjustment_id: z.string(),
  kind: z.enum(["refund", "dispute", "cancellation"]),
  status: z.enum(["pending", "completed", "failed"]),
  amount_minor: z
    .int()
    .nullable()
    .openapi({ description: "The amount that goes back to the buyer." }),
  line_items: z.array(LineQuantity).openapi({ description: "The cancelled items." }),
  description: z.string().nullable(),
  occurred_at: Timestamp,
  changed_at: Timestamp,
});

export const NoteBody = z
  .object({
    note_id: z.string(),
    text: z.string(),
    written_by: z.string().openapi({ description: "The id of the token." }),
    created_at: Timestamp,
  })
  .openapi("OrderNote");

export const ShownOrderBody = OrderBody.extend({
  is_test: IsTest,
  paid_by_person: z.boolean().openapi({
    description: "Whether a person paid on the payment page, instead of the agent or platform.",
  }),
  lines: z.array(LineBody),
  events: z.array(EventBody),
  adjustments: z.array(AdjustmentBody),
  notes: z.array(NoteBody).openapi({ description: "Only visible to owners." }),
  messages: z
    .array(MessageBody)
    .openapi({ description: "The notifications about the order. Only visible to owners." }),
  planned_shipment: PlannedBody.nullable().openapi({
    description: "A shipment that can still be undone. Only visible to owners.",
  }),
  payment_facts: PaymentFactsBody.nullable().openapi({ description: "Only visible to owners." }),
  page_url: z.string().nullable().openapi({
    description: "The order page for the buyer, for a checkout. Only visible to owners.",
  }),
  purchase: Purchase.nullable().openapi({
    description: "Only for a checkout, and only visible to owners.",
  }),
}).openapi("ShownOrder");

function orderBody(order: Order, now: number): z.infer<typeof OrderBody> {
  const { expiresAt: lapsesAt } = order;
  return {
    order_id: order.orderId,
    number: order.number,
    status: order.status,
    agent_id: order.actorId,
    skill: order.skill,
    protocol: order.protocol,
    mandate_id: order.mandateId,
    checkout_id: order.checkoutId,
    decision_id: order.decisionId,
    attempt_id: order.attemptId,
    items: order.items.map((item) => ({ ...item })),
    amount: { minor: order.amount.minor, currency: order.amount.currency },
    payment: order.payment,
    lapses_at: timeOrNull(lapsesAt),
    lapses_in_seconds: lapsesAt === null ? null : Math.max(0, Math.floor((lapsesAt - now) / 1000)),
    captured_minor: order.capturedMinor,
    refunded_minor: order.refundedMinor,
    payment_changed_at: timeOrNull(order.paymentChangedAt),
    revision: order.revision,
    created_at: isoTime(order.createdAt),
    shop_order_id: order.shopOrderId,
    erased_at: timeOrNull(order.erasedAt),
  };
}

export const noteBody = ({ noteId, text, writtenBy, createdAt }: OrderNote) => ({
  note_id: noteId,
  text,
  written_by: writtenBy,
  created_at: isoTime(createdAt),
});

export const listedBody = (order: ListedOrder, now: number) => ({
  ...orderBody(order, now),
  is_test: order.isTest,
  buyer_name: order.buyerName,
});

/** An order with its events, adjustments, notes and messages. */
export function wholeBody(
  {
    order,
    paid,
    lines,
    images,
    events,
    adjustments,
    notes,
    messages,
    payment,
    planned,
  }: ShownOrder,
  now: number,
): Omit<z.infer<typeof ShownOrderBody>, "purchase" | "page_url"> {
  return {
    ...orderBody(order, now),
    is_test: paid.isTest,
    paid_by_person: paid.byPerson,
    lines: lines.map(({ lineId, ...line }, i) => ({
      line_id: lineId,
      image_url: images[i] ?? null,
      ...line,
    })),
    events: events.map((event) => ({
      event_id: event.eventId,
      type: event.type,
      line_items: [...event.lines],
      carrier: event.carrier,
      tracking_number: event.trackingNumber,
      tracking_url: event.trackingUrl,
      description: event.description,
      occurred_at: isoTime(event.occurredAt),
    })),
    adjustments: adjustments.map((one) => ({
      adjustment_id: one.adjustmentId,
      kind: one.kind,
      status: one.status,
      amount_minor: one.amountMinor,
      line_items: [...one.lines],
      description: one.description,
      occurred_at: isoTime(one.occurredAt),
      changed_at: isoTime(one.changedAt),
    })),
    notes: notes.map(noteBody),
    messages: messages.map(messageBody),
    planned_shipment: planned === undefined ? null : plannedBody(planned),
    payment_facts: factsBody(payment),
  };
}
