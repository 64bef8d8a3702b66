import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Checkbox } from "../ui/field.js";
import { Notice } from "../ui/notice.js";
import { notify } from "../ui/toast.js";
import { countText } from "../ui/words.js";

type Product = Api["Product"];

interface BulkProps {
  /** The products that are shown. */
  readonly shown: readonly Product[];
  readonly chosen: ReadonlySet<string>;
  readonly mayRemove: boolean;
  onChoose(ids: readonly string[]): void;
}

/** Selects all products that are shown, and changes the selected ones. Those that fail stay selected. */
export function Bulk({ shown, chosen, mayRemove, onChoose }: BulkProps) {
  const { path } = useSite();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const products = shown.filter(({ id }) => chosen.has(id));
  const change = async (
    done: string,
    one: (at: string) => Promise<unknown>,
    back?: (at: string, product: Product) => Promise<unknown>,
  ) => {
    const failed = new Map<string, string>();
    const at = ({ id }: Product) => `${path}/products?id=${encodeURIComponent(id)}`;
    for (const product of products) {
      await one(at(product)).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : "Try again.";
        failed.set(product.id, `${product.title}: ${why}`);
      });
    }
    setProblems([...failed.values()]);
    onChoose([...failed.keys()]);
    const changed = products.filter(({ id }) => !failed.has(id));
    const undo = async () => {
      for (const product of changed) await back?.(at(product), product);
    };
    const text = `${countText(changed.length, "product")} ${done}.`;
    if (changed.length > 0) notify(text, back && undo);
  };
  const pause = useSave(
    (paused: boolean) =>
      change(
        paused ? "paused" : "resumed",
        (at) => call("PATCH", at, { paused }),
        (at, before) => call("PATCH", at, { paused: before.paused }),
      ),
    "products",
    "processor",
  );
  const remove = useSave(
    () => change("removed", (at) => call("DELETE", at)),
    "products",
    "processor",
  );
  if (shown.length === 0 && problems.length === 0) return null;
  const isAll = products.length === shown.length && shown.length > 0;
  const count = countText(products.length, "product");
  return (
    <div className="flex flex-col gap-2">
      <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <Checkbox
          label="Select all shown"
          checked={isAll}
          onChange={() => onChoose(isAll ? [] : shown.map(({ id }) => id))}
        />
        {products.length > 0 && (
          <>
            <span role="status">{count} selected</span>
            <Button disabled={pause.isPending} onClick={() => pause.mutate(true)}>
              Pause
            </Button>
            <Button disabled={pause.isPending} onClick={() => pause.mutate(false)}>
              Resume
            </Button>
            {mayRemove && (
              <Confirm
                label="Remove"
                title={`Remove ${count}?`}
                yes="Remove"
                danger
                onYes={() => remove.mutateAsync()}
              >
                <p>Agents can no longer find or buy them. Existing orders keep their details.</p>
              </Confirm>
            )}
          </>
        )}
      </div>
      {problems.map((problem) => (
        <Notice key={problem} bad>
          {problem}
        </Notice>
      ))}
    </div>
  );
}
