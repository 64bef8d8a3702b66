import { Button } from "./button.js";
import type { Draft } from "./draft.js";

/** The buttons of a form that keeps a draft, and whether it is saved. It stands out while there is something to save. */
export function SaveRow({
  draft,
  busy,
  label = "Save",
}: {
  readonly draft: Pick<Draft<never>, "isChanged" | "discard">;
  readonly busy: boolean;
  readonly label?: string;
}) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button type="submit" kind={draft.isChanged ? "act" : "plain"} disabled={busy}>
        {label}
      </Button>
      {draft.isChanged && (
        <>
          <Button onClick={draft.discard}>Discard changes</Button>
          <span className="text-xs text-soft">Not saved yet</span>
        </>
      )}
    </div>
  );
}
