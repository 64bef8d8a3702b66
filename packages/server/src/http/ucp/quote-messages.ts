import type { JsonObject } from "@gatehouse/protocol";
import { QUOTE_LIVE_MS_MAX } from "../../domain/shop-quotes/shop-quote.js";
import { isoTime } from "../../infra/clock.js";

const info = (code: string, content: string): JsonObject => ({ type: "info", code, content });

/** "2026-11-19T12:03:04.567Z" as "12:03 UTC". */
const clockTime = (ms: number) => `${isoTime(ms).slice(11, 16)} UTC`;

/**
 * Says when the shop system gave the prices of an answer, if that was too long ago to buy at them. `undefined`: the
 * prices are not from a shop system.
 */
export function keptQuoteMessages(quotedAt: number | undefined, now: number): JsonObject[] {
  if (quotedAt === undefined || now <= quotedAt + QUOTE_LIVE_MS_MAX) return [];
  const when = `The shop gave these prices at ${clockTime(quotedAt)}.`;
  return [info("quote_kept", `${when} It confirms them when the checkout is completed.`)];
}

/** The same for a cart, which is also shown if the shop system gave no price. */
export function cartQuoteMessages(quotedAt: number | null | undefined, now: number): JsonObject[] {
  if (quotedAt !== null) return keptQuoteMessages(quotedAt, now);
  const content =
    "The shop cannot compute the price now. The prices are from its list of products, without taxes and discounts.";
  return [info("shop_unavailable", content)];
}
