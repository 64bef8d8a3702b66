import type { JsonObject } from "@gatehouse/protocol";
import { isoTime } from "../../infra/clock.js";

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

export function declinesMail({ domain, declined, until }: DeclinedOften) {
  const lines = [
    `${declined} payments were declined at ${domain} in the last 10 minutes.`,
    "",
    "Someone may be testing stolen cards. Platforms you have not admitted cannot pay by themselves",
    `until ${isoTime(until)}. Their buyers are sent to the shop instead. Your agents and the`,
    "platforms you admitted can still buy.",
    "",
    `See who has to wait:   gatehouse site declines ${domain}`,
    `Stop all new payments: gatehouse site pause ${domain}`,
  ];
  return { subject: `${domain}: many declined payments`, text: `${lines.join("\n")}\n` };
}
