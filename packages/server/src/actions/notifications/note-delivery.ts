import type { Context } from "../../context.js";
import type { NotifySettings } from "../../domain/notify-settings/notify-settings.js";
import { noteReached, notifySettings } from "../../domain/notify-settings/store.js";
import type { Message } from "../../domain/outbox/message.js";
import { chatMessage } from "../../purchase/notices/chat-message.js";

/** Where the owner's webhook is posted to, which is not its address in every format. */
function webhookDestination({ webhookUrl, webhookFormat }: NotifySettings): string | null {
  if (webhookUrl === null || webhookFormat === "json") return webhookUrl;
  return chatMessage(webhookFormat, webhookUrl, { subject: "", text: "" }).destination;
}

/**
 * Notes the first message that reached the owner at an address that they still use. Until then, nobody has seen that
 * notifications work.
 */
export async function noteDelivery(
  { clock, db }: Pick<Context, "clock" | "db">,
  { siteKeyHash, kind, destination }: Pick<Message, "siteKeyHash" | "kind" | "destination">,
): Promise<void> {
  const settings = await notifySettings(db, siteKeyHash);
  if (settings.reachedAt !== null) return;
  const isCurrent =
    kind === "mail"
      ? settings.emails.includes(destination)
      : destination === webhookDestination(settings);
  if (isCurrent) await noteReached(db, siteKeyHash, settings, clock.now());
}
