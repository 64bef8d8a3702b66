import { type MandatePayment, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Checkout, isReady, TRIES_MAX } from "../../domain/checkouts/checkout.js";
import { isProven } from "../../domain/checkouts/platform.js";
import { checkoutById, lockCheckout } from "../../domain/checkouts/store.js";
import type { Site } from "../../domain/sites/site.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import type { PricedOrder, PriceFault } from "../../purchase/prices.js";
import { isSameQuote, quotedItems, quoteFor } from "./quote.js";
import { refusalOf } from "./sessions.js";

/** A checkout at the price that was shown, and its payment. */
export interface PricedCheckout extends PricedOrder {
  readonly checkout: Checkout;
  readonly payment: MandatePayment;
}

/** The checkout that a mandate names. */
export interface NamedCheckout {
  readonly checkoutId: string | undefined;
  readonly platformUrl: string | undefined;
}

const none = () =>
  refuse(
    "cart_invalid",
    "There is no such checkout of this platform, or it cannot be paid by mandate.",
  );

/** An unsigned checkout of the named platform. A platform that proves itself completes its checkouts without a mandate. */
export async function checkoutNamed(
  db: Queries,
  siteKeyHash: string,
  { checkoutId = "", platformUrl }: NamedCheckout,
): Promise<Checkout | undefined> {
  // A checkout that came from a cart without a profile is its person's alone.
  if (!platformUrl) return undefined;
  const checkout = await checkoutById(db, siteKeyHash, checkoutId);
  if (checkout === undefined || isProven(checkout.platform)) return undefined;
  return checkout.platform.url === platformUrl ? checkout : undefined;
}

/** Prices a checkout that a mandate pays for, or says why it cannot be paid. */
export async function priceCheckout(
  context: Context,
  tx: Transaction,
  site: Site,
  named: NamedCheckout & { readonly token: string | undefined },
): Promise<Result<PricedCheckout, PriceFault | "cart_mismatch">> {
  const { siteKeyHash, provider } = site;
  await lockCheckout(tx, named.checkoutId ?? "");
  const checkout = await checkoutNamed(tx, siteKeyHash, named);
  if (checkout === undefined || provider === null) return none();
  if (checkout.problem?.final) return refuse("cart_invalid", checkout.problem.content);
  if (checkout.tries >= TRIES_MAX) {
    return refuse(
      "cart_invalid",
      "There were too many attempts to complete this checkout. Create a new one.",
    );
  }
  const refusal = refusalOf(context, checkout);
  if (refusal !== undefined) return refuse("cart_invalid", `The checkout is ${refusal}.`);
  const quote = await quoteFor(context, tx, siteKeyHash, checkout.content, "order");
  if (quote.lines.includes("out_of_stock")) {
    return refuse(
      "out_of_stock",
      "Not enough stock. Read the checkout again and reduce the quantity.",
    );
  }
  if (!isSameQuote(quote, checkout.quote)) {
    return refuse("cart_mismatch", "The checkout has changed since you read it. Read it again.");
  }
  const { token } = named;
  if (token === undefined) {
    const content = "send one instrument of this shop's payment handlers in `checkout.payment`";
    return refuse("cart_invalid", `Cannot be charged: ${content}.`);
  }
  const priced = pricedAt(checkout);
  if (!priced.ok) return priced;
  return ok({ ...priced.value, checkout, payment: { handler: provider.kind, token } });
}

function pricedAt({ quote }: Checkout): Result<PricedOrder, PriceFault> {
  const { currency, totals } = quote;
  if (!isReady(quote) || currency === null) {
    return refuse("cart_invalid", "The checkout is incomplete. Its messages say what is missing.");
  }
  return ok({ amount: { currency, minor: totals.totalMinor }, items: quotedItems(quote) });
}

/** The price that a mandate for a checkout must declare, for a call without one. */
export async function checkoutToSign(
  db: Queries,
  siteKeyHash: string,
  named: NamedCheckout,
): Promise<Result<PricedOrder, PriceFault>> {
  const checkout = await checkoutNamed(db, siteKeyHash, named);
  return checkout?.status === "open" ? pricedAt(checkout) : none();
}
