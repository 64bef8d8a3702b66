import type { Config } from "../../config/config.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import type { StoredAnswer } from "../../domain/decisions/decision.js";
import { orderOfDecision } from "../../domain/orders/store.js";
import type { Queries } from "../../infra/db/database.js";
import { freshOrder, type WholeOrder } from "./whole-order.js";

/** An order, as it is shown to the agent that placed it. */
interface OrderLink {
  readonly order_id: string;
  /** Its page. The address is the only protection, so it stands in no record and no log. */
  readonly order_url?: string;
}

/** Orders of earlier versions that a mandate placed have no page. */
export function orderLink(
  config: Pick<Config, "baseUrl">,
  { order, checkout }: Pick<WholeOrder, "order" | "checkout">,
): OrderLink {
  const { orderId: order_id, siteKeyHash, pageId: own } = order;
  const pageId = checkout?.pageId ?? own;
  if (pageId === null) return { order_id };
  return { order_id, order_url: pageUrl(config, { siteKeyHash, pageId }) };
}

/** A platform's own answer names the order, so nothing is added where no mandate is answered. */
export function namingOrder(
  config: Pick<Config, "baseUrl">,
  answer: StoredAnswer,
  whole: WholeOrder,
): StoredAnswer {
  const { status, body } = answer;
  if (Object.keys(body).length === 0) return answer;
  return { status, body: { ...body, ...orderLink(config, whole) } };
}

/** The order that came of a decision; undefined if there is none. */
export async function orderLinkOfDecision(
  { config, db }: { readonly config: Pick<Config, "baseUrl">; readonly db: Queries },
  decisionId: string,
): Promise<OrderLink | undefined> {
  const order = await orderOfDecision(db, decisionId);
  return order && orderLink(config, await freshOrder(db, order));
}
