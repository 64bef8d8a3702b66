import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  type FeedResult,
  HOLD_MS_MAX,
  type ProductFeed,
} from "../../domain/product-feeds/product-feed.js";
import { domainOfSite } from "../../domain/sites/store.js";
import { isoTime } from "../../infra/clock.js";
import type { Transaction } from "../../infra/db/database.js";
import type { NoticeWords } from "../../purchase/notices/chat-message.js";
import { localTime } from "../../purchase/notices/notice-words.js";
import { noticeZone, notifyOwner } from "../../purchase/notices/notify-owner.js";

const PRODUCTS_MISSING = "products.missing";

/** Products that a feed does not list, although an item with an error may be one of them. */
interface MissingNotice {
  readonly siteKeyHash: string;
  readonly domain: string;
  readonly count: number;
  /** When they are paused; null if they were paused now. */
  readonly pausedAt: number | null;
  readonly now: number;
}

function missingEvent(
  { siteKeyHash, domain, count, pausedAt, now }: MissingNotice,
  messageId: string,
): JsonObject {
  const until = pausedAt === null ? null : isoTime(pausedAt);
  return {
    type: PRODUCTS_MISSING,
    message_id: messageId,
    occurred_at: isoTime(now),
    site_key_hash: siteKeyHash,
    domain,
    missing: { count, state: pausedAt === null ? "paused" : "on_sale", on_sale_until: until },
  };
}

export function missingMail(
  { domain, count, pausedAt }: MissingNotice,
  { baseUrl, timeZone }: { readonly baseUrl: string; readonly timeZone: string },
): NoticeWords {
  const link = `${baseUrl}/console/${domain}/products`;
  const many = count === 1 ? "1 product" : `${count} products`;
  const be = count === 1 ? ["was", "is"] : ["were", "are"];
  const what =
    pausedAt === null
      ? `${many} ${be[0]} paused at ${domain}, because the product feed had not listed them for 24 hours.`
      : `${many} ${be[1]} missing from the product feed of ${domain}.`;
  const then =
    pausedAt === null
      ? "When the feed lists them again, they are on sale again."
      : `They stay on sale until ${localTime(pausedAt, timeZone)}. If they are still missing then, they are paused.`;
  const lines = [
    what,
    "",
    `An item of the feed has an error and no readable id, so it may be one of them. ${then} Fix the item in the feed. The product feed in the console shows the error:`,
    "",
    link,
  ];
  const subject =
    pausedAt === null
      ? `${domain}: missing products were paused`
      : `${domain}: products are missing from the feed`;
  return { subject, text: `${lines.join("\n")}\n`, link };
}

/** Notifies the owner when missing products begin to stay on sale because of an item that cannot be read. */
export async function notifyOfHold(
  context: Context,
  tx: Transaction,
  { siteKeyHash, result: before }: ProductFeed,
  { at: now, hold }: FeedResult,
): Promise<void> {
  if (hold === undefined || hold.ids.length === 0 || before?.hold !== undefined) return;
  const pausedAt = hold.since + HOLD_MS_MAX;
  await notifyOfMissing(context, tx, { siteKeyHash, count: hold.ids.length, pausedAt, now });
}

/** Notifies the owner of missing products, in the transaction that pauses them or begins to keep them on sale. */
export async function notifyOfMissing(
  { config: { baseUrl }, ids }: Context,
  tx: Transaction,
  missing: Omit<MissingNotice, "domain">,
): Promise<void> {
  const { siteKeyHash, now } = missing;
  const notice = { ...missing, domain: (await domainOfSite(tx, siteKeyHash)) ?? "" };
  const timeZone = await noticeZone(tx, siteKeyHash);
  await notifyOwner(tx, ids, {
    siteKeyHash,
    topic: PRODUCTS_MISSING,
    now,
    event: (messageId) => missingEvent(notice, messageId),
    mail: () => missingMail(notice, { baseUrl, timeZone }),
  });
}
