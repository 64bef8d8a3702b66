import { ORDER_CAPABILITY } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { isOwn } from "../../domain/checkouts/platform.js";
import { orderById } from "../../domain/orders/store.js";
import { orderSnapshot } from "../../purchase/after-sale/order-snapshot.js";
import { wholeOrder } from "../../purchase/after-sale/whole-order.js";
import { errorAnswer, type UcpBody } from "./answer.js";
import { platformOf } from "./content.js";
import type { Operation, UcpCall } from "./operation.js";

const ORDER_ID = /^[\w-]{1,80}$/;

/** An order of the caller's own. Whoever else asks, or asks after one of no platform, hears of none. */
async function getOrder(context: Context, { site, caller, id }: UcpCall): Promise<UcpBody> {
  const { config, db } = context;
  const order = ORDER_ID.test(id) ? await orderById(db, site.siteKeyHash, id) : undefined;
  const whole = order && (await wholeOrder(db, order));
  const own = whole?.checkout && isOwn(whole.checkout.platform, platformOf(caller));
  const body = own ? orderSnapshot(config, whole) : undefined;
  if (body === undefined) return errorAnswer("not_found", "There is no such order.");
  return { status: 200, body, headers: { "cache-control": "no-store" } };
}

export const ORDER_OPERATIONS: readonly Operation[] = [
  {
    method: "get",
    path: "/orders/:id",
    capability: ORDER_CAPABILITY,
    tool: "get_order",
    signed: "always",
    whileShut: true,
    whilePending: true,
    read: getOrder,
  },
];
