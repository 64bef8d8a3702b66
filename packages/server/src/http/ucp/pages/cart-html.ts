import { htmlText } from "@gatehouse/protocol";
import type { PricedCart } from "../../../actions/checkout/carts.js";
import { quotedLines } from "../../../actions/checkout/totals.js";
import { isTestMode } from "../../../domain/sites/gates.js";
import type { Site } from "../../../domain/sites/site.js";
import type { Voice } from "../../server/voice.js";
import { buyerPage, paragraph, summary } from "./parts.js";

/** The page of a cart. Its button leads to the order. */
export function cartPage(site: Site, voice: Voice, cart: PricedCart | undefined): string {
  const { words } = voice;
  const isTest = isTestMode(site);
  if (cart === undefined) {
    const page = { site, voice, heading: words.cart.ended, isTest };
    return buyerPage(page, [paragraph(words.cart.endedText)]);
  }
  const { priced, totals } = cart.price;
  const quote = { ...quotedLines(priced), currency: priced.currency, totals };
  const isWhole = quote.lines.every((line) => typeof line !== "string");
  const go = `<form method="post"><p><button>${htmlText(words.form.proceed)}</button></p></form>`;
  return buyerPage({ site, voice, heading: words.cart.heading, isTest }, [
    paragraph(isWhole ? words.cart.text : words.missing.lines),
    summary(voice, quote, null),
    ...(isWhole ? [go] : []),
  ]);
}
