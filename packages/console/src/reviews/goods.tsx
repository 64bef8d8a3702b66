import { Picture } from "../ui/picture.js";
import { moneyText } from "../ui/words.js";
import { Part } from "./part.js";
import type { Review } from "./reviews.js";

/** What is bought, with pictures. */
export function Goods({ review: { items, amount } }: { readonly review: Review }) {
  if (items.length === 0) return null;
  return (
    <Part title="Items">
      <ul className="flex flex-col gap-2">
        {items.map(({ id, title, quantity, unit_minor, image_url }) => (
          <li key={id} className="flex items-center gap-3">
            <Picture url={image_url} />
            <span className="min-w-0">
              <span className="block break-words font-medium">
                {quantity} × {title}
              </span>
              {amount !== null && (
                <span className="text-sm text-soft tabular-nums">
                  {moneyText({ minor: unit_minor, currency: amount.currency })} each
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
