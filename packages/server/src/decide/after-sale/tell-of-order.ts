import { hash } from "node:crypto";
import type { Context } from "../../context.js";
import { pageUrl } from "../../owners/checkouts/page-url.js";
import type { Adjustment, OrderEvent } from "../../owners/orders/aftermath/aftermath.js";
import {
  type Message,
  newMessage,
  WAITING_FOR_ONE_MAX,
  WAITING_MAX,
} from "../../owners/outbox/message.js";
import { insertMessages, isFull } from "../../owners/outbox/store.js";
import { shopSettings } from "../../owners/shop-settings/store.js";
import { domainOfSite, siteByHash } from "../../owners/sites/store.js";
import type { Transaction } from "../../platform/db/database.js";
import { isMailAddress } from "../../platform/mail/address.js";
import { takeExact } from "../../platform/rate-limit/exact.js";
import { tellOwner } from "../tell-owner.js";
import { type BuyerTopic, buyerMail, isForBuyer } from "./buyer-mail.js";
import { disputedMail, type OrderTopic, orderEvent, soldMail } from "./order-notice.js";
import { orderSnapshot } from "./order-snapshot.js";
import { isRehearsed } from "./rehearsed.js";
import type { WholeOrder } from "./whole-order.js";

/** Mails to one buyer of a shop: nobody orders more often, but somebody may want to annoy them. */
const BUYER_RATE = { perMinute: 0.1, burst: 12 };
/** Mails to all buyers of a shop. */
const BUYERS_RATE = { perMinute: 60, burst: 600 };
const TOO_MANY_MAILS =
  "not sent: this shop has sent too many mails of late, or too many to this address";
const TOO_MANY = "too many messages were waiting when it was written";

export interface OrderNews {
  readonly topic: OrderTopic;
  readonly now: number;
  /** A dispute that has just begun: a person has to answer it. */
  readonly disputed?: Adjustment | undefined;
  /** What has just been said of goods on their way. */
  readonly shipment?: OrderEvent;
}

/** A platform is told what it would see: how a payment stands is between the owner and the processor. */
const isForPlatform = ({ topic }: OrderNews) => topic !== "order.payment";

/** A v4 UUID, as UCP has the ids of its webhooks. */
function uuid({ ids }: Context): string {
  const bytes = ids.bytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString("hex");
  return [8, 12, 16, 20, 32].map((end, i, ends) => hex.slice(ends[i - 1] ?? 0, end)).join("-");
}

function toPlatform(context: Context, whole: WholeOrder, { topic, now }: OrderNews): Message[] {
  const { siteKeyHash, orderId: about, revision: place } = whole.order;
  const destination = whole.checkout?.platform.webhookUrl ?? null;
  const snapshot = orderSnapshot(context.config, whole);
  if (destination === null || snapshot === undefined) return [];
  return [
    newMessage({
      ...{ messageId: uuid(context), siteKeyHash, kind: "webhook", audience: "platform", topic },
      ...{ about, place, destination, body: JSON.stringify(snapshot), createdAt: now },
    }),
  ];
}

async function toBuyer(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  { topic, now, shipment }: OrderNews & { readonly topic: BuyerTopic },
): Promise<Message[]> {
  const { config, ids, mailer } = context;
  const { order, checkout } = whole;
  const { siteKeyHash, orderId: about } = order;
  const address = checkout?.content.buyer.email;
  if (checkout === null || !mailer.configured) return [];
  if (typeof address !== "string" || !isMailAddress(address)) return [];
  if (!(await shopSettings(tx, siteKeyHash)).buyerMail) return [];
  const site = await siteByHash(tx, siteKeyHash);
  if (site === undefined) return [];
  const rehearsed = await isRehearsed(tx, order);
  const url = pageUrl(config, checkout);
  const mail = buyerMail({ topic, site, whole, url, rehearsed, shipment });
  const message = newMessage({
    ...{ messageId: ids.timeId("msg", now), siteKeyHash, kind: "mail", audience: "buyer", topic },
    ...{ about, place: null, destination: address, body: JSON.stringify(mail), createdAt: now },
  });
  if (await takeMailPlace(tx, siteKeyHash, address, now)) return [message];
  return [{ ...message, state: "failed", lastProblem: TOO_MANY_MAILS }];
}

/** Whether a buyer may get one more. */
async function takeMailPlace(
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

/** Those that there is no room for are listed, and can be sent by hand. */
async function withRoom(tx: Transaction, messages: readonly Message[]): Promise<Message[]> {
  const written: Message[] = [];
  for (const message of messages) {
    if (message.state !== "waiting") {
      written.push(message);
      continue;
    }
    const { siteKeyHash, audience, destination } = message;
    const one = audience === "platform";
    const full = one
      ? await isFull(tx, { siteKeyHash, audience, destination }, WAITING_FOR_ONE_MAX)
      : await isFull(tx, { siteKeyHash, audience }, WAITING_MAX);
    written.push(full ? { ...message, state: "failed", lastProblem: TOO_MANY } : message);
  }
  return written;
}

/** What the owner is mailed, where a person has to know. */
function ownersMail(
  whole: WholeOrder,
  { topic, disputed }: OrderNews,
  about: { readonly domain: string; readonly rehearsed: boolean },
) {
  if (topic === "order.created") return () => soldMail(whole, about);
  return disputed && (() => disputedMail(whole, disputed, about));
}

/**
 * Writes what platform, buyer and owner are told of an order, in the transaction that makes it so.
 * Each gets all of it as it is now, and in order.
 */
export async function tellOfOrder(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  news: OrderNews,
): Promise<void> {
  const { config, ids } = context;
  const { siteKeyHash, orderId: id, revision: place } = whole.order;
  const { topic, now } = news;
  const messages = [
    ...(isForPlatform(news) ? toPlatform(context, whole, news) : []),
    ...(isForBuyer(topic) ? await toBuyer(context, tx, whole, { ...news, topic }) : []),
  ];
  await insertMessages(tx, await withRoom(tx, messages));
  const domain = (await domainOfSite(tx, siteKeyHash)) ?? "";
  const mailed = topic === "order.created" || news.disputed !== undefined;
  const rehearsed = mailed && (await isRehearsed(tx, whole.order));
  const mail = ownersMail(whole, news, { domain, rehearsed });
  await tellOwner(tx, ids, {
    ...{ siteKeyHash, topic, now, about: { id, place } },
    budget: news.disputed === undefined ? "order notices" : "dispute notices",
    event: (messageId) => orderEvent(config, whole, { topic, domain, now }, messageId),
    ...(mail && { mail }),
  });
}
