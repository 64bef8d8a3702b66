import { renderUcp } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import {
  type Message,
  newMessage,
  WAITING_MAX,
  WAITING_PER_PLATFORM_MAX,
} from "../../domain/outbox/message.js";
import { failedIfFull, insertMessages } from "../../domain/outbox/store.js";
import { shopConnection } from "../../domain/shop-connections/store.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import { domainOfSite, siteByHash } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { mayMail } from "../../infra/mail/mail-limit.js";
import { isMailAddress } from "../../infra/mail/text.js";
import { noticeZone, notifyOwner, wantsNotification } from "../notices/notify-owner.js";
import { buyerMail, isForBuyer } from "./buyer-mail.js";
import {
  disputedMail,
  type MailContext,
  type OrderUpdate,
  orderEvent,
  soldMail,
} from "./order-notice.js";
import { orderSnapshot } from "./order-snapshot.js";
import { eventIdOf, platformReceiver } from "./platform-receiver.js";
import type { WholeOrder } from "./whole-order.js";
import { isTestOrder } from "./whole-order.js";

/** The owner gets mail only for a sale and for a dispute. */
function ownerMail(whole: WholeOrder, { topic, disputed }: OrderUpdate, mailContext: MailContext) {
  if (topic === "order.created") return () => soldMail(whole, mailContext);
  return disputed && (() => disputedMail(whole, disputed, mailContext));
}

async function notifyOwnerOfOrder(
  { config, ids }: Context,
  tx: Transaction,
  whole: WholeOrder,
  update: OrderUpdate,
): Promise<void> {
  const { siteKeyHash, orderId: id, revision: position } = whole.order;
  const { topic, now, disputed } = update;
  if (!(await wantsNotification(tx, siteKeyHash))) return;
  const domain = (await domainOfSite(tx, siteKeyHash)) ?? "";
  const mail = ownerMail(whole, update, {
    baseUrl: config.baseUrl,
    domain,
    timeZone: await noticeZone(tx, siteKeyHash),
    isTest: await isTestOrder(tx, whole.order),
  });
  await notifyOwner(tx, ids, {
    siteKeyHash,
    topic,
    now,
    subject: { id, position },
    budget: disputed === undefined ? "order notices" : "dispute notices",
    event: (messageId) => orderEvent(config, whole, { topic, domain, now }, messageId),
    ...(mail && { mail }),
  });
}

/**
 * Writes the messages to the platform, buyer, owner and shop system in the transaction that changes the order. Each message
 * holds the whole order, and they are sent in order.
 */
export async function notifyOfOrder(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  update: OrderUpdate,
): Promise<void> {
  await notifyPlatform(context, tx, whole, update);
  await notifyBuyer(context, tx, whole, update);
  await notifyOwnerOfOrder(context, tx, whole, update);
  await notifyShop(context, tx, whole, update);
}

/** The shop system is sent the order as it is when the message is sent, so no buyer is stored with the message. */
async function notifyShop(
  { ids }: Context,
  tx: Transaction,
  { order: { inShop, siteKeyHash, orderId, revision } }: WholeOrder,
  { topic, now }: OrderUpdate,
): Promise<void> {
  const connection = inShop ? await shopConnection(tx, siteKeyHash) : undefined;
  if (connection === undefined) return;
  const message = newMessage({
    messageId: ids.timeId("msg", now),
    siteKeyHash,
    kind: "webhook",
    audience: "shop",
    topic,
    subjectId: orderId,
    position: revision,
    destination: connection.endpoint,
    body: JSON.stringify({ order_id: orderId }),
    createdAt: now,
  });
  await insertMessages(tx, [message]);
}

async function notifyPlatform(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  update: OrderUpdate,
): Promise<void> {
  const { siteKeyHash, orderId: subjectId, revision: position } = whole.order;
  const { topic, now } = update;
  const { checkout } = whole;
  // Captures and voids are between the owner and the provider. Platforms do not see them.
  if (checkout === null || topic === "order.payment") return;
  const { version } = checkout.platform;
  const { destination, platform } = await platformReceiver(tx, siteKeyHash, checkout.platform);
  if (destination === null) return;
  const message: Message = newMessage({
    // UCP requires UUIDs as webhook ids.
    messageId: context.ids.uuid(),
    siteKeyHash,
    kind: "webhook",
    audience: "platform",
    topic,
    subjectId,
    position,
    destination,
    platform,
    eventId: eventIdOf(whole, update),
    createdAt: now,
    body: JSON.stringify(renderUcp(version, orderSnapshot(context.config, whole, checkout))),
  });
  const receiver = { siteKeyHash, audience: "platform", destination } as const;
  await insertMessages(tx, [await failedIfFull(tx, message, receiver, WAITING_PER_PLATFORM_MAX)]);
}

const TOO_MANY = "not sent: this shop sent too many emails recently, or too many to this address";

function addressIn({ content: { buyer } }: Checkout): string | undefined {
  const { email } = buyer;
  return typeof email === "string" && isMailAddress(email) ? email : undefined;
}

/** Mails the buyer if there is a mail server and the owner wants it. */
async function notifyBuyer(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  update: OrderUpdate,
): Promise<void> {
  const { config, ids, mailer } = context;
  const { order, checkout } = whole;
  if (checkout === null || !mailer.configured || !isForBuyer(update)) return;
  const { topic, now, shipment, refunded } = update;
  const { siteKeyHash, orderId: subjectId } = order;
  const destination = addressIn(checkout);
  const site = await siteByHash(tx, siteKeyHash);
  if (destination === undefined || site === undefined) return;
  if (!(await shopSettings(tx, siteKeyHash)).buyerMail) return;
  const isTest = await isTestOrder(tx, order);
  const url = pageUrl(config, checkout);
  const mail = buyerMail({ topic, site, whole, url, isTest, shipment, refunded });
  const message = newMessage({
    messageId: ids.timeId("msg", now),
    siteKeyHash,
    kind: "mail",
    audience: "buyer",
    topic,
    subjectId,
    position: null,
    destination,
    body: JSON.stringify(mail),
    createdAt: now,
  });
  const isWithin = await mayMail(tx, { kind: "buyer", from: siteKeyHash, to: destination }, now);
  const written = isWithin
    ? await failedIfFull(tx, message, { siteKeyHash, audience: "buyer" }, WAITING_MAX)
    : { ...message, state: "failed" as const, lastProblem: TOO_MANY };
  await insertMessages(tx, [written]);
}
