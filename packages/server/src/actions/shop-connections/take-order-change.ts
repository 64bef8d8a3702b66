import { hash } from "node:crypto";
import { canonicalize, type JsonValue, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { shopActor } from "../../domain/audit/drafts.js";
import type { Order } from "../../domain/orders/order.js";
import { orderById } from "../../domain/orders/store.js";
import type { ShopConnection } from "../../domain/shop-connections/shop-connection.js";
import {
  countEventsOf,
  earlierShopEvent,
  type ShopEvent,
  shopEvent,
  writeShopEvent,
} from "../../domain/shop-events/store.js";
import { DatabaseConflictError, type Queries, type Transaction } from "../../infra/db/database.js";
import { UNDER_WAY } from "../../purchase/orders/change-payment.js";
import type { RequestedLines, ShopOrigin } from "../../purchase/orders/line-change.js";
import { wholeOrder } from "../../purchase/orders/whole-order.js";
import { cancelOrder } from "../orders/cancel-order.js";
import { shipOrder } from "../orders/ship-order.js";
import { moveMoney } from "./move-money.js";
import type { ChangeOutcome, OrderChangeEvent } from "./order-change.js";

type ChangeResult = Result<ChangeOutcome, "conflict">;

/** Far above what a real order needs. */
const EVENTS_OF_ORDER_MAX = 300;

const DONE = ok<ChangeOutcome>({ state: "done" });

/** A change under way. */
interface Taken {
  readonly connection: ShopConnection;
  readonly order: Order;
  readonly event: OrderChangeEvent;
  /** What an earlier try has noted with its first effect; undefined if none has carried that out. */
  readonly known: ShopEvent | undefined;
  readonly origin: ShopOrigin;
}

function rowOf(
  { siteKeyHash, connectionId }: ShopConnection,
  { eventId, orderId, change }: OrderChangeEvent,
  receivedAt: number,
): ShopEvent {
  const changeDigest = hash("sha256", canonicalize(change as unknown as JsonValue), "hex");
  return { siteKeyHash, connectionId, eventId, orderId, changeDigest, answer: null, receivedAt };
}

/** An event that arrived before, by this connection or, unless it was refused then, by an earlier one. */
async function knownEvent(db: Queries, row: ShopEvent): Promise<ShopEvent | undefined> {
  const own = await shopEvent(db, row);
  if (own !== undefined) return own;
  const earlier = await earlierShopEvent(db, row);
  return earlier?.answer?.state === "refused" ? undefined : earlier;
}

/** Notes an event in the transaction of its effect. Two tries at once must not both take effect. */
function originOf(
  { clock }: Context,
  connection: ShopConnection,
  event: OrderChangeEvent,
): ShopOrigin {
  const write = async (tx: Transaction) => {
    const row = rowOf(connection, event, clock.now());
    if ((await knownEvent(tx, row)) !== undefined) {
      throw new DatabaseConflictError("the event is being carried out");
    }
    await writeShopEvent(tx, row);
  };
  return { eventId: event.eventId, write };
}

/** A refusal is an outcome, for a person to read in the shop system, unless it passes. */
function outcomeOf(result: Result<unknown, string>): ChangeResult {
  if (result.ok) return DONE;
  const { detail: problem } = result;
  return problem === UNDER_WAY ? refuse("conflict", problem) : ok({ state: "refused", problem });
}

/** Whether nothing is left that a change without lines could apply to, so that it is done already. */
async function isNothingLeft({ db }: Context, { order }: Taken, lines: RequestedLines) {
  if (lines !== null) return false;
  const whole = await wholeOrder(db, order);
  return whole.lines.every(({ total, fulfilled }) => total <= fulfilled);
}

async function ship(
  context: Context,
  taken: Taken,
  shipment: Pick<Parameters<typeof shipOrder>[2], "type" | "lines"> &
    Partial<Parameters<typeof shipOrder>[2]>,
): Promise<ChangeResult> {
  const { connection, order, known, origin } = taken;
  if (known !== undefined) return DONE;
  const { type, lines } = shipment;
  if (type === "shipped" && (await isNothingLeft(context, taken, lines))) return DONE;
  const words = { carrier: null, trackingNumber: null, trackingUrl: null, description: null };
  const event = { ...words, occurredAt: null, ...shipment, origin };
  return outcomeOf(await shipOrder(context, order, event, shopActor(connection.connectionId)));
}

async function carryOut(context: Context, taken: Taken): Promise<ChangeResult> {
  const { connection, order, event, known, origin } = taken;
  const { change } = event;
  const actor = shopActor(connection.connectionId);
  // A connection that did not report this event may have used its id for another change.
  const requesters = [actor.id, ...(known ? [shopActor(known.connectionId).id] : [])];
  const money = { order, origin, actor, requesters };
  switch (change.kind) {
    case "sent": {
      const { kind: _, capture, refundedMinor, ...shipment } = change;
      const shipped = await ship(context, taken, { type: "shipped", ...shipment });
      if (!capture || !shipped.ok || shipped.value.state !== "done") return shipped;
      const { eventId } = event;
      const row = rowOf(connection, event, context.clock.now());
      const isNoted = (await knownEvent(context.db, row)) !== undefined;
      const noted = isNoted ? { eventId, write: async () => {} } : origin;
      const capturing = { kind: "capture", amountMinor: null, reason: null } as const;
      return moveMoney(context, { ...money, origin: noted }, { ...capturing, refundedMinor });
    }
    case "delivered":
      return ship(context, taken, { type: "delivered", lines: change.lines });
    case "cancelled": {
      if (known !== undefined || (await isNothingLeft(context, taken, change.lines))) return DONE;
      const { lines, reason } = change;
      const cancellation = { lines, reason, origin };
      return outcomeOf(await cancelOrder(context, order, cancellation, actor));
    }
    case "captured":
      return moveMoney(context, money, { kind: "capture", reason: null, ...pick(change) });
    case "refunded":
      return moveMoney(context, money, { kind: "refund", reason: change.reason, ...pick(change) });
  }
}

const pick = ({ amountMinor }: { readonly amountMinor: number | null }) => ({ amountMinor });

/** What a shop system is answered to a change, with the revision of the order since. */
export interface AnsweredChange {
  readonly outcome: ChangeOutcome;
  readonly revision: number;
}

type ChangeFault = "not_found" | "conflict" | "invalid_request";

/**
 * Carries out a change that was made in the shop system. Its event is noted in the transaction of its effect, and
 * answered the same again. `conflict`: the order is being changed now, and the event has to come again.
 */
export async function takeOrderChange(
  context: Context,
  connection: ShopConnection,
  event: OrderChangeEvent,
): Promise<Result<AnsweredChange, ChangeFault>> {
  const { clock, db } = context;
  const { siteKeyHash } = connection;
  const { orderId } = event;
  const order = await orderById(db, siteKeyHash, orderId);
  if (!order?.inShop) return refuse("not_found", "The shop system has no such order of this site.");
  const row = rowOf(connection, event, clock.now());
  const known = await knownEvent(db, row);
  if (known !== undefined && known.changeDigest !== row.changeDigest) {
    return refuse("invalid_request", "event_id: was used for another change.");
  }
  if (known?.answer)
    return ok({ outcome: known.answer as ChangeOutcome, revision: order.revision });
  if (known === undefined && (await countEventsOf(db, orderId)) >= EVENTS_OF_ORDER_MAX) {
    return refuse("invalid_request", "order_id: the order has too many events.");
  }
  const origin = originOf(context, connection, event);
  const outcome = await carryOut(context, { connection, order, event, known, origin });
  if (!outcome.ok) return outcome;
  if (outcome.value.state !== "pending") {
    await writeShopEvent(db, { ...row, answer: outcome.value });
  }
  const after = await orderById(db, siteKeyHash, orderId);
  return ok({ outcome: outcome.value, revision: after?.revision ?? order.revision });
}
