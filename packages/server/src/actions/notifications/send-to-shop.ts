import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { writeShopOrderId } from "../../domain/orders/store.js";
import type { Message } from "../../domain/outbox/message.js";
import { siteConnection } from "../../domain/shop-connections/store.js";
import { shopOrder } from "../../purchase/orders/shop-order.js";

type SendResult = Result<true, "gone" | "not_delivered">;

/** Sends a message to the shop system of a site: an order as it is now, or the end of a reservation. */
export async function sendToShop(
  context: Context,
  { messageId, siteKeyHash, body }: Pick<Message, "messageId" | "siteKeyHash" | "body">,
): Promise<SendResult> {
  const { db, shopSystem } = context;
  const connection = await siteConnection(db, siteKeyHash);
  if (connection === undefined) return refuse("gone", "the shop system was disconnected");
  // A shop that is being updated comes back.
  if (!connection.sells) return refuse("not_delivered", "the shop is switched off");
  const subject = JSON.parse(body) as { order_id?: string; reservation_id?: string };
  const { order_id: orderId, reservation_id: reservationId } = subject;
  if (reservationId !== undefined) {
    const released = await shopSystem.release(connection, { messageId, reservationId });
    return released.ok ? released : refuse("not_delivered", released.detail);
  }
  const order = await shopOrder(context, siteKeyHash, orderId ?? "");
  if (order === undefined) return refuse("gone", "the order is gone");
  const sent = await shopSystem.sendOrder(connection, { messageId, order });
  if (!sent.ok) return refuse("not_delivered", sent.detail);
  await writeShopOrderId(db, { siteKeyHash, orderId: orderId ?? "", shopOrderId: sent.value });
  return ok(true);
}
