import type { JsonObject } from "@gatehouse/protocol";
import { isoTime } from "../../infra/clock.js";
import type { NoticeWords } from "./chat-message.js";
import { localTime } from "./notice-words.js";

export const DECLINED_OFTEN = "payments.declined_often";

/** A site with so many declined payments that buyers of platforms it has not admitted must pay at the shop. */
export interface DeclinedOften {
  readonly siteKeyHash: string;
  readonly domain: string;
  /** Payments declined in the last ten minutes. */
  readonly declined: number;
  readonly until: number;
  readonly now: number;
}

export function declinesEvent(
  { siteKeyHash, domain, declined, until, now }: DeclinedOften,
  messageId: string,
): JsonObject {
  return {
    type: DECLINED_OFTEN,
    message_id: messageId,
    occurred_at: isoTime(now),
    site_key_hash: siteKeyHash,
    domain,
    declines: { count: declined, window_seconds: 600, hand_off_until: isoTime(until) },
  };
}

/** Who has to wait, and the button that stops all sales, are on Home. */
export function declinesMail(
  { domain, declined, until }: DeclinedOften,
  { baseUrl, timeZone }: { readonly baseUrl: string; readonly timeZone: string },
): NoticeWords {
  const link = `${baseUrl}/console/${domain}`;
  const end = localTime(until, timeZone);
  const lines = [
    `${declined} payments were declined at ${domain} in the last 10 minutes.`,
    "",
    `Someone may be testing stolen cards. Platforms that you have not admitted cannot pay by themselves until ${end}. Their buyers are sent to the shop instead. Your agents and the platforms that you admitted can still buy.`,
    "",
    "See who has to wait, or pause all sales, here:",
    "",
    link,
  ];
  return { subject: `${domain}: many declined payments`, text: `${lines.join("\n")}\n`, link };
}
