import type { BuyingPlatform } from "../../domain/checkouts/platform.js";
import { isProven } from "../../domain/checkouts/platform.js";
import { platformNamed } from "../../domain/platforms/store.js";
import type { Queries } from "../../infra/db/database.js";
import { webName } from "../../infra/web-name.js";
import type { OrderUpdate } from "./order-notice.js";
import type { WholeOrder } from "./whole-order.js";

/** Where a platform is notified of an order, and whose connection says how. */
interface PlatformReceiver {
  /** Null if it is not notified. */
  readonly destination: string | null;
  /** Its identity in the owner's list; null if plain UCP applies. */
  readonly platform: string | null;
}

/**
 * Where a platform is notified: at the address that the owner set for it, or else at the one of its profile.
 * The owner's address is used only for platforms that have proven who they are, because anybody can name a profile.
 */
export async function platformReceiver(
  db: Queries,
  siteKeyHash: string,
  buying: BuyingPlatform,
): Promise<PlatformReceiver> {
  const plain = { destination: buying.webhookUrl, platform: null };
  const name = isProven(buying) ? webName(buying.url) : undefined;
  const entry = name && (await platformNamed(db, siteKeyHash, name));
  if (entry?.status !== "admitted") return plain;
  const { url } = entry.connection.webhook;
  return { destination: url ?? buying.webhookUrl, platform: entry.identity };
}

/** The id of the event that an update of an order is about: of the order itself when it is new. */
export function eventIdOf(
  { order, events, adjustments }: WholeOrder,
  { topic, shipment, adjusted }: OrderUpdate,
): string {
  const { orderId } = order;
  if (topic === "order.created") return orderId;
  const isShipment = topic === "order.shipped" || topic === "order.fulfillment";
  if (isShipment) return shipment?.eventId ?? events.at(-1)?.eventId ?? orderId;
  return adjusted?.adjustmentId ?? adjustments.at(-1)?.adjustmentId ?? orderId;
}
