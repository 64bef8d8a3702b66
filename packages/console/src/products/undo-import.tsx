import { useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Confirm } from "../ui/confirm.js";
import { Time } from "../ui/time.js";
import { notify } from "../ui/toast.js";
import { countText } from "../ui/words.js";

type Undoable = NonNullable<Api["UndoableImport"]>;
interface UndoResult {
  readonly removed: number;
  readonly restored: number;
}

/** Undoes the last import, as long as nothing else has changed the products since. */
export function UndoImport({ onUndone }: { onUndone(): void }) {
  const { path } = useSite();
  const query = useQuery({
    queryKey: ["products", path, "undoable"],
    queryFn: () => call<{ readonly import: Undoable | null }>("GET", `${path}/products/import`),
  });
  const undo = useSave(
    async ({ import_id }: Undoable) => {
      const body = { import_id };
      const undone = await call<UndoResult>("POST", `${path}/products/import/undo`, body);
      const { removed, restored } = undone;
      notify(
        `The import was undone: ${countText(removed, "product")} removed, ${restored} restored.`,
      );
      onUndone();
    },
    "products",
    "processor",
  );
  const last = query.data?.import;
  if (last === null || last === undefined || last.added + last.replaced === 0) return null;
  const { imported_at, added, replaced } = last;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <p className="min-w-0 flex-1">
        Last import, <Time at={imported_at} />: {countText(added, "product")} added, {replaced}{" "}
        changed or removed.
      </p>
      <Confirm
        label="Undo this import"
        title="Undo the last import?"
        yes="Undo"
        onYes={() => undo.mutateAsync(last)}
      >
        <p>
          {added > 0 &&
            `${countText(added, "product that it added", "products that it added")} will be removed. `}
          {replaced > 0 &&
            `${countText(replaced, "product")} will get back the values from before the import. `}
          Orders since the import stay as they are.
        </p>
      </Confirm>
    </div>
  );
}
