import { hash } from "node:crypto";
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
import { shopSettings } from "../../domain/shop-settings/store.js";
import { domainOfSite, siteByHash } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { isMailAddress } from "../../infra/mail/text.js";
import { takeExact } from "../../infra/rate-limit/exact.js";
import { notifyOwner, wantsNotification } from "../notices/notify-owner.js";
import { buyerMail, isForBuyer } from "./buyer-mail.js";
import {
  disputedMail,
  type MailAbout,
  type OrderNews,
  orderEvent,
  soldMail,
} from "./order-notice.js";
import { orderSnapshot } from "./order-snapshot.js";
import type { WholeOrder } from "./whole-order.js";
import { isTestOrder } from "./whole-order.js";

/** What the owner is mailed, where a person has to know. */
function ownersMail(whole: WholeOrder, { topic, disputed }: OrderNews, about: MailAbout) {
  if (topic === "order.created") return () => soldMail(whole, about);
  return disputed && (() => disputedMail(whole, disputed, about));
}

async function tellItsOwner(
  { config, ids }: Context,
  tx: Transaction,
  whole: WholeOrder,
  news: OrderNews,
): Promise<void> {
  const { siteKeyHash, orderId: id, revision: place } = whole.order;
  const { topic, now, disputed } = news;
  if (!(await wantsNotification(tx, siteKeyHash))) return;
  const domain = (await domainOfSite(tx, siteKeyHash)) ?? "";
  const mail = ownersMail(whole, news, { domain, rehearsed: await isTestOrder(tx, whole.order) });
  await notifyOwner(tx, ids, {
    siteKeyHash,
    topic,
    now,
    about: { id, place },
    budget: disputed === undefined ? "order notices" : "dispute notices",
    event: (messageId) => orderEvent(config, whole, { topic, domain, now }, messageId),
    ...(mail && { mail }),
  });
}

/**
 * Writes what platform, buyer and owner are told of an order, in the transaction that makes it so.
 * Each gets all of it as it is now, and in order.
 */
export async function notifyOfOrder(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  news: OrderNews,
): Promise<void> {
  await tellPlatform(context, tx, whole, news);
  await tellBuyer(context, tx, whole, news);
  await tellItsOwner(context, tx, whole, news);
}

/** Writes what the platform that ordered is told, where it wants to hear of it: all of the order. */
async function tellPlatform(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  { topic, now }: OrderNews,
): Promise<void> {
  const { siteKeyHash, orderId: subjectId, revision: position } = whole.order;
  const destination = whole.checkout?.platform.webhookUrl ?? null;
  // How a payment stands is between the owner and the provider: no platform sees it.
  if (destination === null || topic === "order.payment") return;
  const message: Message = newMessage({
    // UCP has the ids of its webhooks be UUIDs.
    messageId: context.ids.uuid(),
    siteKeyHash,
    kind: "webhook",
    audience: "platform",
    topic,
    subjectId,
    position,
    destination,
    createdAt: now,
    body: JSON.stringify(orderSnapshot(context.config, whole)),
  });
  const receiver = { siteKeyHash, audience: "platform", destination } as const;
  await insertMessages(tx, [await failedIfFull(tx, message, receiver, WAITING_PER_PLATFORM_MAX)]);
}

/** Mails to one buyer of a shop: nobody orders more often, but somebody may want to annoy them. */
const BUYER_RATE = { perMinute: 0.1, burst: 12 };
/** Mails to all buyers of a shop. */
const BUYERS_RATE = { perMinute: 60, burst: 600 };
const TOO_MANY = "not sent: this shop has sent too many mails of late, or too many to this address";

function addressIn({ content: { buyer } }: Checkout): string | undefined {
  const { email } = buyer;
  return typeof email === "string" && isMailAddress(email) ? email : undefined;
}

/** Whether a buyer may get one more. */
async function takePlace(
  tx: Transaction,
  siteKeyHash: string,
  address: string,
  now: number,
): Promise<boolean> {
  const name = hash("sha256", address.toLowerCase(), "hex").slice(0, 32);
  return (
    (await takeExact(tx, `buyer ${siteKeyHash} ${name}`, BUYER_RATE, now)) &&
    (await takeExact(tx, `buyers ${siteKeyHash}`, BUYERS_RATE, now))
  );
}

/** Writes the mail to the buyer, if there is a mail server and the owner wants buyers to be notified. */
async function tellBuyer(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  { topic, now, shipment }: OrderNews,
): Promise<void> {
  const { config, ids, mailer } = context;
  const { order, checkout } = whole;
  if (checkout === null || !mailer.configured || !isForBuyer(topic)) return;
  const { siteKeyHash, orderId: subjectId } = order;
  const destination = addressIn(checkout);
  const site = await siteByHash(tx, siteKeyHash);
  if (destination === undefined || site === undefined) return;
  if (!(await shopSettings(tx, siteKeyHash)).buyerMail) return;
  const rehearsed = await isTestOrder(tx, order);
  const url = pageUrl(config, checkout);
  const mail = buyerMail({ topic, site, whole, url, rehearsed, shipment });
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
  const written = (await takePlace(tx, siteKeyHash, destination, now))
    ? await failedIfFull(tx, message, { siteKeyHash, audience: "buyer" }, WAITING_MAX)
    : { ...message, state: "failed" as const, lastProblem: TOO_MANY };
  await insertMessages(tx, [written]);
}
