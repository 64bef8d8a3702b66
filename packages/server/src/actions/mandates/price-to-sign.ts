import {
  COMPLETE_CHECKOUT,
  type JsonObject,
  type Result,
  readCompletion,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Site } from "../../domain/sites/site.js";
import { type PricedOrder, type PriceFault, priceOrder } from "../../purchase/prices.js";
import { withShopQuotes } from "../../purchase/shop-quote.js";
import { checkoutToSign } from "../checkout/price-checkout.js";

/**
 * The price that the mandate of a call must declare: of the checkout that the call completes, or of the items it
 * orders. If the site sells for a connected shop system, that is asked.
 */
export function priceToSign(
  context: Context,
  { siteKeyHash, provider }: Site,
  { skill, args }: { readonly skill: string; readonly args: JsonObject },
): Promise<Result<PricedOrder, PriceFault>> {
  const { db } = context;
  if (skill === COMPLETE_CHECKOUT) {
    return checkoutToSign(db, siteKeyHash, readCompletion(args, provider));
  }
  const priced = () => priceOrder(context, db, siteKeyHash, { args, purpose: "quote" });
  return withShopQuotes(context, priced);
}
