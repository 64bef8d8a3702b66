import type { ReactNode } from "react";
import { Card } from "../ui/page.js";
import { Picture } from "../ui/picture.js";
import { Totals } from "../ui/totals.js";
import { moneyText } from "../ui/words.js";
import type { ShownOrder } from "./orders.js";

type Line = ShownOrder["lines"][number];

/** What happened to the items of a line, in words. */
function progressOf({ quantity, total, fulfilled, delivered }: Line): string {
  const parts = [
    fulfilled > 0 ? `${fulfilled} of ${total} sent` : "",
    delivered > 0 ? `${delivered} delivered` : "",
    quantity > total ? `${quantity - total} cancelled` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** What was bought, with pictures and prices, and how the total comes about. */
export function OrderGoods({
  order,
  children,
}: {
  readonly order: ShownOrder;
  /** What can be done with the items. */
  readonly children?: ReactNode;
}) {
  const { currency } = order.amount;
  return (
    <Card title="Items">
      <ul className="flex flex-col gap-3 text-sm">
        {order.lines.map((line) => (
          <li key={line.line_id} className="flex items-center gap-3">
            <Picture url={line.image_url} />
            <span className="flex min-w-0 flex-1 flex-col">
              <span className="font-medium break-words">
                {line.quantity} × {line.title}
              </span>
              <span className="text-soft break-words">
                {moneyText({ minor: line.unit_minor, currency })} each
              </span>
              <span className="text-soft">{progressOf(line)}</span>
            </span>
            <span className="tabular-nums">
              {moneyText({ minor: line.unit_minor * line.quantity, currency })}
            </span>
          </li>
        ))}
      </ul>
      <div className="border-t border-line pt-3">
        <Totals total={order.amount} lines={order.lines} purchase={order.purchase} />
      </div>
      {children}
    </Card>
  );
}
