import { Totals } from "../ui/totals.js";
import { Part } from "./part.js";
import type { Review } from "./reviews.js";

/** How the amount comes about. */
export function Breakdown({ review }: { readonly review: Review }) {
  const { amount, items, purchase, status } = review;
  if (amount === null || items.length === 0) return null;
  return (
    <Part title="Price">
      <div className="max-w-64">
        <Totals total={amount} lines={items} purchase={purchase} />
      </div>
      {status === "pending" && purchase?.quoted_at && (
        <p className="text-sm text-soft">Your shop checks these prices again before the payment.</p>
      )}
    </Part>
  );
}
