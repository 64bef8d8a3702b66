import type { Money } from "@gatehouse/protocol";
import { Time } from "./time.js";
import { moneyText } from "./words.js";

interface TotalsProps {
  readonly total: Money;
  readonly lines: readonly { readonly unit_minor: number; readonly quantity: number }[];
  /** What checkout added; null for a purchase without a checkout. */
  readonly purchase: {
    readonly shipping_minor: number | null;
    readonly fee_minor: number;
    readonly tax_minor: number | null;
    readonly quoted_at: string | null;
  } | null;
}

/** How a total comes about, and when a shop system gave its prices. */
export function Totals({ total: { minor, currency }, lines, purchase }: TotalsProps) {
  const goods = lines.reduce((sum, { unit_minor, quantity }) => sum + unit_minor * quantity, 0);
  const delivery = purchase?.shipping_minor ?? null;
  const tax = purchase?.tax_minor ?? 0;
  const fee = purchase?.fee_minor ?? 0;
  const discount = goods + (delivery ?? 0) + fee + tax - minor;
  // Who may not see the purchase still sees how the total comes about.
  const added = purchase === null && discount < 0 ? -discount : null;
  const rows: readonly (readonly [string, number | null])[] = [
    ["Items", goods],
    ["Delivery", delivery],
    ["Fees", fee === 0 ? null : fee],
    ["Tax", tax === 0 ? null : tax],
    ["Delivery, fees and taxes", added],
    ["Discount", discount > 0 ? -discount : null],
    ["Total", minor],
  ];
  const quoted = purchase?.quoted_at ?? null;
  return (
    <>
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm tabular-nums">
        {rows.map(([name, part]) =>
          part === null ? null : (
            <div
              key={name}
              className="col-span-2 grid grid-cols-subgrid last:border-t last:border-line last:pt-1 last:font-semibold"
            >
              <dt>{name}</dt>
              <dd className="text-right">{moneyText({ minor: part, currency })}</dd>
            </div>
          ),
        )}
      </dl>
      {quoted !== null && (
        <p className="pt-2 text-sm text-soft">
          Your shop gave these prices on <Time at={quoted} />.
        </p>
      )}
    </>
  );
}
