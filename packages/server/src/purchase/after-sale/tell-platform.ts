import type { Context } from "../../context.js";
import { type Message, newMessage, WAITING_PER_PLATFORM_MAX } from "../../domain/outbox/message.js";
import { failedIfFull, insertMessages } from "../../domain/outbox/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { OrderNews } from "./order-notice.js";
import { orderSnapshot } from "./order-snapshot.js";
import type { WholeOrder } from "./whole-order.js";

/** Writes what the platform that ordered is told, where it wants to hear of it: all of the order. */
export async function tellPlatform(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  { topic, now }: OrderNews,
): Promise<void> {
  const { siteKeyHash, orderId: about, revision: place } = whole.order;
  const destination = whole.checkout?.platform.webhookUrl ?? null;
  // How a payment stands is between the owner and the processor: no platform sees it.
  if (destination === null || topic === "order.payment") return;
  const message: Message = newMessage({
    // UCP has the ids of its webhooks be UUIDs.
    messageId: context.ids.uuid(),
    siteKeyHash,
    kind: "webhook",
    audience: "platform",
    topic,
    subjectId: about,
    position: place,
    destination,
    createdAt: now,
    body: JSON.stringify(orderSnapshot(context.config, whole)),
  });
  const receiver = { siteKeyHash, audience: "platform", destination } as const;
  await insertMessages(tx, [await failedIfFull(tx, message, receiver, WAITING_PER_PLATFORM_MAX)]);
}
