import type { Context } from "../../context.js";
import type { Message } from "../../domain/outbox/message.js";
import { headersPlace } from "../../domain/platforms/connection.js";
import { platformByIdentity } from "../../domain/platforms/store.js";
import type { OrderWebhook } from "../../infra/webhook-sender.js";

type Format = Pick<OrderWebhook, "webhookId" | "timestamp" | "headers">;

/**
 * How the owner wants a platform to be notified. It is read at every try, so that a secret that was replaced is
 * not sent again. The headers go to the address that they were set for, and to no other.
 */
export async function webhookFormat(
  { db, secrets }: Context,
  message: Pick<Message, "siteKeyHash" | "destination"> & Partial<Message>,
): Promise<Format> {
  const { siteKeyHash, destination, platform = null, eventId = null } = message;
  const entry = platform === null ? undefined : await platformByIdentity(db, siteKeyHash, platform);
  if (entry?.status !== "admitted") return {};
  const { url, sealedHeaders, timestamp, id } = entry.connection.webhook;
  const place = headersPlace(siteKeyHash, entry.identity);
  const isTheirs = url === destination && sealedHeaders !== null;
  return {
    timestamp,
    webhookId: id === "event" && eventId !== null ? eventId : undefined,
    headers: isTheirs ? JSON.parse(secrets.open(place, sealedHeaders)) : undefined,
  };
}
