import { ORDER_CAPABILITY } from "@gatehouse/protocol";
import { platformOrder } from "../../actions/orders/read-orders.js";
import { errorAnswer } from "./answer.js";
import { platformOf } from "./caller.js";
import type { Operation } from "./operation.js";

const get: Operation = {
  kind: "read",
  name: "get_order",
  method: "GET",
  paths: ["/orders/:id"],
  capability: ORDER_CAPABILITY,
  proof: "always",
  whileClosed: true,
  whilePending: true,
  async run(context, { site, caller, id }) {
    const body = await platformOrder(context, site.siteKeyHash, id, platformOf(caller));
    if (body === undefined) return errorAnswer("not_found", "There is no such order.");
    return { status: 200, body, headers: { "cache-control": "no-store" } };
  },
};

export const ORDER_OPERATIONS: readonly Operation[] = [get];
