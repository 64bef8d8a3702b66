import { moneyText } from "../ui/words.js";
import { Part } from "./part.js";
import type { Review } from "./reviews.js";

/** How the amount comes about. */
export function Breakdown({ review }: { readonly review: Review }) {
  const { amount, items, purchase } = review;
  if (amount === null || items.length === 0) return null;
  const { minor, currency } = amount;
  const goods = items.reduce((sum, { unit_minor, quantity }) => sum + unit_minor * quantity, 0);
  const delivery = purchase?.shipping_minor ?? null;
  const tax = purchase?.tax_minor ?? 0;
  const discount = goods + (delivery ?? 0) + tax - minor;
  const rows: readonly (readonly [string, number | null])[] = [
    ["Items", goods],
    ["Delivery", delivery],
    ["Tax", tax === 0 ? null : tax],
    ["Discount", discount > 0 ? -discount : null],
    ["Total", minor],
  ];
  return (
    <Part title="Price">
      <dl className="grid max-w-64 grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm tabular-nums">
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
    </Part>
  );
}
