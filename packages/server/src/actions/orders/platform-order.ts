import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { isCreatedBy, type PlatformCaller } from "../../domain/checkouts/platform.js";
import { orderById } from "../../domain/orders/store.js";
import { orderSnapshot } from "../../purchase/orders/order-snapshot.js";
import { wholeOrder } from "../../purchase/orders/whole-order.js";

const ORDER_ID = /^[\w-]{1,80}$/;

/** An order as the platform that placed it sees it. For any other caller there is no such order. */
export async function platformOrder(
  { config, db }: Context,
  siteKeyHash: string,
  orderId: string,
  platform: PlatformCaller,
): Promise<JsonObject | undefined> {
  if (!ORDER_ID.test(orderId)) return undefined;
  const order = await orderById(db, siteKeyHash, orderId);
  if (order === undefined) return undefined;
  const whole = await wholeOrder(db, order);
  const { checkout } = whole;
  if (checkout === null || !isCreatedBy(checkout.platform, platform)) return undefined;
  return orderSnapshot(config, whole);
}
