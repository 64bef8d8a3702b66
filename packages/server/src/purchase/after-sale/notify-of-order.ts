import type { Context } from "../../context.js";
import { domainOfSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { notifyOwner, wantsNotification } from "../notify-owner.js";
import {
  disputedMail,
  type MailAbout,
  type OrderNews,
  orderEvent,
  soldMail,
} from "./order-notice.js";
import { isRehearsed } from "./rehearsed.js";
import { tellBuyer } from "./tell-buyer.js";
import { tellPlatform } from "./tell-platform.js";
import type { WholeOrder } from "./whole-order.js";

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
  const mail = ownersMail(whole, news, { domain, rehearsed: await isRehearsed(tx, whole.order) });
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
