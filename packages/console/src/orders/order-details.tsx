import { Id } from "../ui/id.js";
import { Facts } from "../ui/page.js";
import { plainWord } from "../ui/words.js";
import type { ShownOrder } from "./orders.js";

/** The names that programs use for an order and what belongs to it. */
export function OrderDetails({ order }: { readonly order: ShownOrder }) {
  const ids: readonly (readonly [string, string])[] = [
    ["Order ID", order.order_id],
    ["Agent or platform ID", order.agent_id],
    ["Decision ID", order.decision_id],
    ["Payment ID", order.attempt_id],
    ...order.lines.map(({ id, title }) => [`Product number of ${title}`, id] as const),
  ];
  return (
    <details className="px-4 text-sm">
      <summary className="text-soft">Details</summary>
      <div className="mt-2">
        <Facts
          rows={ids.map(([name, id]) => [
            name,
            <Id key={name} value={id} label={plainWord(name)} />,
          ])}
        />
      </div>
    </details>
  );
}
