import { languageOf, wordsIn } from "../domain/buyer-words/words.js";
import type { Checkout } from "../domain/checkouts/checkout.js";
import type { Payment } from "../domain/payments/payment.js";
import type { PageLine } from "../payments/provider.js";

/** What a buyer sees on the provider's page: the items, delivery, fees and taxes. Their sum is what is paid. */
export function pageLines(
  { items, amount }: Pick<Payment, "items" | "amount">,
  checkout: Checkout,
): readonly PageLine[] {
  const words = wordsIn(languageOf(checkout.content.context)).order;
  const { shippingMinor, taxMinor, discountMinor, fees = [] } = checkout.quote.totals;
  // Pages have no negative lines.
  if (discountMinor) return [{ title: words.total, quantity: 1, unitMinor: amount.minor }];
  const more = [
    { title: words.delivery, quantity: 1, unitMinor: shippingMinor ?? 0 },
    ...fees.map(({ title, amountMinor: unitMinor }) => ({ title, quantity: 1, unitMinor })),
    { title: words.tax, quantity: 1, unitMinor: taxMinor },
  ].filter(({ unitMinor }) => unitMinor > 0);
  const lines = [
    ...items.map(({ title, quantity, unit_minor: unitMinor }) => ({ title, quantity, unitMinor })),
    ...more,
  ];
  const sum = lines.reduce((total, { quantity, unitMinor }) => total + quantity * unitMinor, 0);
  if (sum !== amount.minor) throw new Error("the lines of a payment page are not its amount");
  return lines;
}
