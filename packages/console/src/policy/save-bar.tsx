import { useState } from "react";
import { Button } from "../ui/button.js";
import { DiffView } from "./diff-view.js";

/** Shown while there are changes that are not saved. Saving publishes a new version. */
export function SaveBar({
  before,
  after,
  disabled,
  onSave,
  onDiscard,
}: {
  readonly before: string;
  readonly after: string;
  readonly disabled: boolean;
  onSave(): Promise<unknown> | undefined;
  onDiscard(): void;
}) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    // The page shows the error.
    await onSave()?.catch(() => undefined);
    setBusy(false);
  };
  return (
    <section
      aria-label="Unsaved changes"
      className="sticky bottom-[var(--bottom-bar,0px)] flex flex-col gap-2 rounded-lg border border-line bg-card p-3 shadow-lg"
    >
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 text-sm">You have unsaved changes.</p>
        <Button onClick={onDiscard}>Discard changes</Button>
        <Button kind="act" disabled={disabled || isBusy} onClick={() => void save()}>
          Save
        </Button>
      </div>
      <details className="text-sm">
        <summary className="text-soft">Show the changes</summary>
        <div className="mt-2">
          <DiffView before={before} after={after} />
        </div>
      </details>
    </section>
  );
}
