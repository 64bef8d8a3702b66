import { Totals } from "../ui/totals.js";
import { Part } from "./part.js";
import type { Review } from "./reviews.js";

/** How the amount comes about. */
export function Breakdown({ review: { amount, items, purchase } }: { readonly review: Review }) {
  if (amount === null || items.length === 0) return null;
  return (
    <Part title="Price">
      <div className="max-w-64">
        <Totals total={amount} lines={items} purchase={purchase} />
      </div>
    </Part>
  );
}
