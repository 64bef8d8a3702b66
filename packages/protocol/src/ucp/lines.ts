import type { JsonObject } from "../json/value.js";

/** What a shop charges besides goods, delivery and taxes. */
interface UcpFee {
  readonly title: string;
  readonly amountMinor: number;
}

/** What a sum is made of, in minor units. Always: subtotal - discount + shipping + fees + tax = total. */
export interface UcpTotals {
  readonly subtotalMinor: number;
  /** Null where nothing is sent, or it is not known yet how. */
  readonly shippingMinor: number | null;
  /** What is taken off, as a positive number; absent if nothing is. */
  readonly discountMinor?: number;
  /** Absent if there are none. */
  readonly fees?: readonly UcpFee[];
  readonly taxMinor: number;
  readonly totalMinor: number;
}

/**
 * What a sum is made of, in UCP's words: those before the last add up to it.
 *
 * @example
 * const totals = { subtotalMinor: 500, shippingMinor: 90, taxMinor: 0, totalMinor: 590 };
 * totalEntries(totals).map(({ type }) => type); //=> ["subtotal", "fulfillment", "total"]
 */
export function totalEntries(totals: UcpTotals): JsonObject[] {
  const { subtotalMinor, shippingMinor, discountMinor = 0, taxMinor, totalMinor } = totals;
  const { fees = [] } = totals;
  return [
    { type: "subtotal", amount: subtotalMinor },
    ...(discountMinor === 0 ? [] : [{ type: "discount", amount: -discountMinor }]),
    ...(shippingMinor === null ? [] : [{ type: "fulfillment", amount: shippingMinor }]),
    ...fees.map(({ title, amountMinor }) => {
      return { type: "fee", display_text: title, amount: amountMinor };
    }),
    ...(taxMinor === 0 ? [] : [{ type: "tax", amount: taxMinor }]),
    { type: "total", amount: totalMinor },
  ];
}

/**
 * What a line of a checkout is called, by its place; of the order that comes of it too.
 *
 * @example
 * lineIdAt(0); //=> "li_1"
 */
export function lineIdAt(place: number): string {
  return `li_${place + 1}`;
}
