import { hash } from "node:crypto";
import type { Context } from "../../context.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import { newMessage, WAITING_MAX } from "../../domain/outbox/message.js";
import { failedIfFull, insertMessages } from "../../domain/outbox/store.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import { siteByHash } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { isMailAddress } from "../../infra/mail/text.js";
import { takeExact } from "../../infra/rate-limit/exact.js";
import { buyerMail, isForBuyer } from "./buyer-mail.js";
import type { OrderNews } from "./order-notice.js";
import { isRehearsed } from "./rehearsed.js";
import type { WholeOrder } from "./whole-order.js";

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

/** Writes the mail to whoever bought it, where there is a mail server and the owner wants it so. */
export async function tellBuyer(
  context: Context,
  tx: Transaction,
  whole: WholeOrder,
  { topic, now, shipment }: OrderNews,
): Promise<void> {
  const { config, ids, mailer } = context;
  const { order, checkout } = whole;
  if (checkout === null || !mailer.configured || !isForBuyer(topic)) return;
  const { siteKeyHash, orderId: about } = order;
  const destination = addressIn(checkout);
  const site = await siteByHash(tx, siteKeyHash);
  if (destination === undefined || site === undefined) return;
  if (!(await shopSettings(tx, siteKeyHash)).buyerMail) return;
  const rehearsed = await isRehearsed(tx, order);
  const url = pageUrl(config, checkout);
  const mail = buyerMail({ topic, site, whole, url, rehearsed, shipment });
  const message = newMessage({
    messageId: ids.timeId("msg", now),
    siteKeyHash,
    kind: "mail",
    audience: "buyer",
    topic,
    subjectId: about,
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
