import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Notice } from "../ui/notice.js";
import { countText } from "../ui/words.js";
import { type ListedOrder, orderName, orderPath } from "./orders.js";

/** Marks every chosen order as sent, one after the other. Orders that fail stay chosen. */
export function MarkMany({
  orders,
  onDone,
}: {
  readonly orders: readonly ListedOrder[];
  /** Gets the orders that could not be marked. */
  onDone(failed: readonly string[]): void;
}) {
  const { path } = useSite();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const mark = useSave(async () => {
    const failed = new Map<string, string>();
    for (const order of orders) {
      const sending = call("POST", `${orderPath(path, order.order_id)}/ship`, {});
      await sending.catch((error: unknown) => {
        const why = error instanceof Error ? error.message : "Try again.";
        failed.set(order.order_id, `${orderName(order)}: ${why}`);
      });
    }
    setProblems([...failed.values()]);
    onDone([...failed.keys()]);
  }, "orders");
  const count = countText(orders.length, "order");
  if (orders.length === 0 && problems.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      {orders.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <span role="status">{count} selected</span>
          <Confirm
            label="Mark as sent"
            title={`Mark ${count} as sent?`}
            yes="Mark as sent"
            onYes={() => mark.mutateAsync()}
          >
            <p>
              All their remaining items are marked as sent. Platforms are notified, and buyers if
              email is set up.
            </p>
          </Confirm>
          <Button onClick={() => onDone([])}>Clear selection</Button>
        </div>
      )}
      {problems.map((problem) => (
        <Notice key={problem} bad>
          {problem}
        </Notice>
      ))}
    </div>
  );
}
