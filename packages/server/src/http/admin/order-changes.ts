import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { noteOrder } from "../../actions/orders/note-order.js";
import { showOrder } from "../../actions/orders/read-orders.js";
import { type Shipment, shipOrder } from "../../actions/orders/ship-order.js";
import type { Context } from "../../context.js";
import { EVENT_TYPES } from "../../domain/orders/adjustments/adjustment.js";
import type { Principal } from "../../domain/tokens/token.js";
import { cancelOrder } from "../../purchase/orders/cancel-order.js";
import { REHEARSALS, simulateSandboxEvent } from "../../purchase/orders/simulate-sandbox-event.js";
import { strict } from "../server/faults.js";
import { Problem } from "../server/problem.js";
import { body, errors, json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { line, webAddress } from "./fields.js";
import { NoteBody, noteBody, ShownOrderBody } from "./order-body.js";
import { ORDERS_PATH, OrderParams, renderOrder } from "./orders.js";
import { refused } from "./schemas.js";

const LINES_MAX = 200;
const QUANTITY_MAX = 1_000_000;
const WORDS_CHARS_MAX = 200;
const NOTE_CHARS_MAX = 2000;

const Lines = z
  .array(
    strict({
      id: z.string().max(20).openapi({ example: "li_1" }),
      quantity: z.int().min(1).max(QUANTITY_MAX),
    }),
  )
  .min(1)
  .max(LINES_MAX)
  .optional();
const Words = line(WORDS_CHARS_MAX).optional();
const TrackingUrl = webAddress(/^https?$/).optional();

const shared = { method: "post" as const, tags: ["Selling"] };
const answers = {
  200: json(ShownOrderBody, "The order."),
  ...errors("invalid_request", "forbidden", "not_found", "conflict"),
};

const ShipBody = strict({
  type: z.enum(EVENT_TYPES).default("shipped"),
  line_items: Lines,
  carrier: Words,
  tracking_number: Words,
  tracking_url: TrackingUrl,
  description: Words,
  occurred_at: Timestamp.optional().openapi({ description: "Now, where it is left out." }),
});

const ship = createRoute({
  ...shared,
  path: `${ORDERS_PATH}/{order_id}/ship`,
  summary: "Say that goods were sent, or how far they got",
  description:
    "Its platform and its buyer are told. Without `line_items` it is about all that is left to " +
    "be sent, or has been sent.",
  request: {
    params: OrderParams,
    body: body(ShipBody),
  },
  responses: answers,
});

const cancel = createRoute({
  ...shared,
  path: `${ORDERS_PATH}/{order_id}/cancel`,
  summary: "Cancel what was not sent yet",
  description:
    "It goes back in stock, and whoever bought it is told. Where nothing is left of the order its " +
    "authorization is given up; money that was taken already is yours to give back.",
  request: {
    params: OrderParams,
    body: body(
      strict({
        line_items: Lines,
        reason: Words.openapi({ description: "Whoever bought it reads this." }),
      }),
    ),
  },
  responses: answers,
});

const note = createRoute({
  ...shared,
  path: `${ORDERS_PATH}/{order_id}/notes`,
  summary: "Write a note about an order",
  description: "For the owner's people only: nobody is told.",
  request: { params: OrderParams, body: body(strict({ text: line(NOTE_CHARS_MAX) })) },
  responses: {
    201: json(NoteBody, "The note."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

const play = createRoute({
  ...shared,
  path: `${ORDERS_PATH}/{order_id}/rehearse`,
  summary: "Play what would happen at a real processor",
  description: "For orders of the sandbox: capture it, refund it, have it disputed.",
  request: {
    params: OrderParams,
    body: body(
      strict({
        event: z.enum(REHEARSALS),
        amount_minor: z.int().min(1).optional().openapi({
          description: "Of a capture, a refund or a dispute; all there is where it is left out.",
        }),
      }),
    ),
  },
  responses: answers,
});

const shipmentOf = (body: z.infer<typeof ShipBody>): Shipment => ({
  type: body.type,
  lines: body.line_items ?? null,
  carrier: body.carrier ?? null,
  trackingNumber: body.tracking_number ?? null,
  trackingUrl: body.tracking_url ?? null,
  description: body.description ?? null,
  occurredAt: body.occurred_at === undefined ? null : Date.parse(body.occurred_at),
});

export function orderChangeRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  /** The order after a change. It is read again, because a provider may have changed it too. */
  const changedOrder = async (order: Parameters<typeof showOrder>[1], principal: Principal) => {
    const shown = await showOrder(context, order, principal);
    if (shown === undefined) throw new Problem("not_found");
    return renderOrder(context, shown);
  };

  app.openapi(ship, async (c) => {
    const { site_key_hash: siteKeyHash, order_id: orderId } = c.req.valid("param");
    await requireSite(context, c, siteKeyHash, "owner");
    const shipment = shipmentOf(c.req.valid("json"));
    const result = await shipOrder(context, { siteKeyHash, orderId }, shipment, actorOf(c));
    if (!result.ok) return refused(result);
    return c.json(await changedOrder({ siteKeyHash, orderId }, c.get("principal")), 200);
  });

  app.openapi(cancel, async (c) => {
    const { site_key_hash: siteKeyHash, order_id: orderId } = c.req.valid("param");
    await requireSite(context, c, siteKeyHash, "owner");
    const { line_items: lines = null, reason = null } = c.req.valid("json");
    const cancellation = { lines, reason };
    const result = await cancelOrder(context, { siteKeyHash, orderId }, cancellation, actorOf(c));
    if (!result.ok) return refused(result);
    return c.json(await changedOrder({ siteKeyHash, orderId }, c.get("principal")), 200);
  });

  app.openapi(note, async (c) => {
    const { site_key_hash: siteKeyHash, order_id: orderId } = c.req.valid("param");
    await requireSite(context, c, siteKeyHash, "owner");
    const newNote = { text: c.req.valid("json").text, writtenBy: c.get("principal").tokenId };
    const result = await noteOrder(context, { siteKeyHash, orderId }, newNote);
    return result.ok ? c.json(noteBody(result.value), 201) : refused(result);
  });

  app.openapi(play, async (c) => {
    const { site_key_hash: siteKeyHash, order_id: orderId } = c.req.valid("param");
    await requireSite(context, c, siteKeyHash, "owner");
    const { event, amount_minor: amountMinor = null } = c.req.valid("json");
    const result = await simulateSandboxEvent(
      context,
      { siteKeyHash, orderId },
      { event, amountMinor },
    );
    if (!result.ok) return refused(result);
    return c.json(await changedOrder({ siteKeyHash, orderId }, c.get("principal")), 200);
  });
}
