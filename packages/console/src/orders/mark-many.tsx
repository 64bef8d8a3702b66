import { useState } from "react";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Notice } from "../ui/notice.js";
import { notify } from "../ui/toast.js";
import { countText } from "../ui/words.js";
import { type ListedOrder, orderName } from "./orders.js";
import { shipRest, undoShipment } from "./ship.js";

/** Runs a step for each order, one after the other. Returns what went wrong, by order. */
async function each(
  orders: readonly ListedOrder[],
  step: (id: string) => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const failed = new Map<string, string>();
  for (const order of orders) {
    await step(order.order_id).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : "Try again.";
      failed.set(order.order_id, `${orderName(order)}: ${why}`);
    });
  }
  return failed;
}

/** Marks every chosen order as sent at once, and offers to undo it. Orders that fail stay chosen. */
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
    const failed = await each(orders, (id) => shipRest(path, id));
    const marked = orders.filter(({ order_id }) => !failed.has(order_id));
    setProblems([...failed.values()]);
    onDone([...failed.keys()]);
    if (marked.length === 0) return;
    notify(`${countText(marked.length, "order")} marked as sent.`, async () => {
      const late = [...(await each(marked, (id) => undoShipment(path, id))).values()];
      if (late.length > 0) throw new Error(late.join(" "));
    });
  }, "orders");
  const count = countText(orders.length, "order");
  if (orders.length === 0 && problems.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      {orders.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <span role="status">{count} selected</span>
          <Button disabled={mark.isPending} onClick={() => mark.mutate()}>
            Mark as sent
          </Button>
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
