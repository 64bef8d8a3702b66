import type { JsonObject, UcpTotals } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { WantedLine } from "../../domain/checkouts/platform.js";
import { shopConnection } from "../../domain/shop-connections/store.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import type { Queries } from "../../infra/db/database.js";
import { destinationIn } from "../../purchase/buyer-place.js";
import { atShopPrices, type PricedLines, priceLines } from "../../purchase/prices.js";
import { shopEstimate } from "../../purchase/shop-quote.js";
import { listTotals, shopQuestionFor, shopTotals } from "./connected-quote.js";
import { totalsOf } from "./totals.js";

/** The price of a cart, which is not binding. */
export interface CartPrice {
  readonly priced: PricedLines;
  /** An estimate: with the taxes of the place that the buyer names, without shipping. */
  readonly totals: UcpTotals;
  /** When the shop system gave this price; null if it gave none, and undefined if the site has no shop system. */
  readonly quotedAt?: number | null;
}

interface PricedContent {
  readonly lines: readonly WantedLine[];
  readonly buyer: JsonObject;
  readonly context: JsonObject;
}

const NOWHERE = { addresses: [], addressId: null, optionId: null } as const;

/** Prices a cart. For a site with a shop system that system does, because only it knows which taxes its prices include. */
export async function priceCart(
  context: Context,
  db: Queries,
  siteKeyHash: string,
  { lines, buyer, context: place }: PricedContent,
): Promise<CartPrice> {
  const priced = await priceLines(db, siteKeyHash, lines, "quote");
  const totals = listTotals(priced);
  if ((await shopConnection(db, siteKeyHash)) === undefined) {
    const destination = destinationIn(place);
    if (destination === undefined) return { priced, totals };
    const settings = await shopSettings(db, siteKeyHash);
    const taxed = totalsOf(settings, priced.subtotalMinor, { destination });
    // A sum that would not be exact is shown without taxes: nothing is bought at this price.
    return { priced, totals: taxed.ok ? taxed.value : totals };
  }
  const content = { lines, buyer, context: place, delivery: NOWHERE };
  const question = shopQuestionFor(siteKeyHash, content, priced);
  if (question === undefined) return { priced, totals, quotedAt: null };
  const { answer, askedAt } = await shopEstimate(context, db, question);
  if (answer.kind === "unanswered") return { priced, totals, quotedAt: null };
  const answered = atShopPrices(priced, answer);
  return { priced: answered, totals: shopTotals(answer, answered, null), quotedAt: askedAt };
}
