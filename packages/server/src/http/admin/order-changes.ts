import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { cancelOrder } from "../../actions/orders/cancel-order.js";
import { noteOrder } from "../../actions/orders/note-order.js";
import { noShipmentWaits, planShipment, undoShipment } from "../../actions/orders/plan-shipment.js";
import { showOrder } from "../../actions/orders/read-orders.js";
import { shipOrder } from "../../actions/orders/ship-order.js";
import {
  SANDBOX_EVENTS,
  simulateSandboxEvent,
} from "../../actions/orders/simulate-sandbox-event.js";
import type { Context } from "../../context.js";
import type { Principal } from "../../domain/access/principal.js";
import { EVENT_TYPES } from "../../domain/orders/adjustments/adjustment.js";
import type { ReportedShipment } from "../../domain/orders/planned/planned-shipment.js";
import { line, webAddress } from "../server/fields.js";
import { requireFound } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { NoteBody, noteBody, ShownOrderBody } from "./order-body.js";
import { OrderParams, renderOrder } from "./orders.js";

const LINES_MAX = 200;
const QUANTITY_MAX = 1_000_000;
const WORDS_CHARS_MAX = 200;
const NOTE_CHARS_MAX = 2000;
const UNDO_S_MAX = 60;

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

/** What the routes of one order share, except notes. */
const changed = {
  tags: ["Selling"],
  params: OrderParams,
  answer: json(ShownOrderBody, "The order."),
  errors: ["conflict" as const],
};

const ShipBody = strict({
  type: z.enum(EVENT_TYPES).default("shipped"),
  line_items: Lines,
  carrier: Words,
  tracking_number: Words,
  tracking_url: TrackingUrl,
  description: Words,
  occurred_at: Timestamp.optional().openapi({ description: "The default is now." }),
  undo_seconds: z.int().min(0).max(UNDO_S_MAX).default(0).openapi({
    description:
      "Seconds until it takes effect. Until then nobody is notified and nothing is recorded, and it can be undone.",
  }),
});

const ship = siteRoute("post", "/orders/{order_id}/ship", {
  ...changed,
  summary: "Report a shipment or its progress",
  description:
    "The platform and the buyer are notified. Without `line_items`, it applies to everything that is left to " +
    "be sent, or that was sent.",
  body: ShipBody,
});

const undo = siteRoute("delete", "/orders/{order_id}/shipment", {
  tags: ["Selling"],
  summary: "Undo a shipment that has not taken effect",
  params: OrderParams,
  noContent: "The order is as before.",
  errors: ["conflict"],
});

const cancel = siteRoute("post", "/orders/{order_id}/cancel", {
  ...changed,
  summary: "Cancel items that were not sent yet",
  description:
    "The items go back in stock, and the platform and the buyer are notified. If nothing is left of the order, the " +
    "authorization is voided. This is refused while a capture is under way. If the payment was already captured, " +
    "refund it.",
  body: strict({
    line_items: Lines,
    reason: Words.openapi({ description: "A message to the buyer." }),
  }),
});

const note = siteRoute("post", "/orders/{order_id}/notes", {
  tags: ["Selling"],
  summary: "Add a note to an order",
  description: "Notes are only for the owner's team. Nobody is notified.",
  params: OrderParams,
  body: strict({ text: line(NOTE_CHARS_MAX) }),
  created: json(NoteBody, "The note."),
  errors: ["conflict"],
});

const simulate = siteRoute("post", "/orders/{order_id}/rehearse", {
  ...changed,
  summary: "Simulate an event of a payment provider",
  description: "Only for sandbox orders: capture, refund or dispute the payment, or let it expire.",
  body: strict({
    event: z.enum(SANDBOX_EVENTS),
    amount_minor: z.int().min(1).optional().openapi({
      description:
        "The amount of a capture, a refund or a dispute. The default is the whole amount.",
    }),
  }),
});

const shipmentOf = (body: z.infer<typeof ShipBody>): ReportedShipment => ({
  type: body.type,
  lines: body.line_items ?? null,
  carrier: body.carrier ?? null,
  trackingNumber: body.tracking_number ?? null,
  trackingUrl: body.tracking_url ?? null,
  description: body.description ?? null,
  occurredAt: body.occurred_at === undefined ? null : Date.parse(body.occurred_at),
});

type OrderName = Parameters<typeof showOrder>[1];

export function orderChangeRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  /** The order in the path, which only an owner may change. */
  const requireOrder = async (c: HonoContext<AdminEnv>): Promise<OrderName> => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    return { siteKeyHash, orderId: c.req.param("order_id") ?? "" };
  };

  /** The order after a change. It is read again, because a provider may have changed it too. */
  const changedOrder = async (order: OrderName, principal: Principal) =>
    renderOrder(context, requireFound(await showOrder(context, order, principal)));

  app.openapi(ship, async (c) => {
    const order = await requireOrder(c);
    const body = c.req.valid("json");
    const [shipment, actor] = [shipmentOf(body), actorOf(c)];
    if (body.undo_seconds > 0) {
      const plan = { actor, delayMs: body.undo_seconds * 1000 };
      requireOk(await planShipment(context, order, shipment, plan));
    } else {
      requireOk(await noShipmentWaits(context, order));
      requireOk(await shipOrder(context, order, shipment, actor));
    }
    return c.json(await changedOrder(order, c.get("principal")), 200);
  });

  app.openapi(undo, async (c) => {
    requireOk(await undoShipment(context, await requireOrder(c)));
    return c.body(null, 204);
  });

  app.openapi(cancel, async (c) => {
    const order = await requireOrder(c);
    const { line_items: lines = null, reason = null } = c.req.valid("json");
    requireOk(await cancelOrder(context, order, { lines, reason }, actorOf(c)));
    return c.json(await changedOrder(order, c.get("principal")), 200);
  });

  app.openapi(note, async (c) => {
    const order = await requireOrder(c);
    const newNote = { text: c.req.valid("json").text, writtenBy: c.get("principal").id };
    return c.json(noteBody(requireOk(await noteOrder(context, order, newNote))), 201);
  });

  app.openapi(simulate, async (c) => {
    const order = await requireOrder(c);
    const { event, amount_minor: amountMinor = null } = c.req.valid("json");
    requireOk(await simulateSandboxEvent(context, order, { event, amountMinor }));
    return c.json(await changedOrder(order, c.get("principal")), 200);
  });
}
