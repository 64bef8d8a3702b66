import { useBlocker } from "@tanstack/react-router";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { discardUnsaved, hasUnsaved } from "../ui/draft.js";

/** Asks before somebody leaves a page with changes that are not saved. */
export function LeaveGuard() {
  const leaving = useBlocker({
    // A filter in the address is the same page.
    shouldBlockFn: ({ current, next }) => hasUnsaved() && current.pathname !== next.pathname,
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  });
  if (leaving.status !== "blocked") return null;
  const leave = () => {
    discardUnsaved();
    leaving.proceed();
  };
  return (
    <Dialog open title="Leave without saving?" onClose={leaving.reset}>
      <div className="flex flex-col gap-4">
        <p className="text-sm">Your changes on this page are lost if you leave now.</p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button kind="act" onClick={leaving.reset}>
            Stay
          </Button>
          <Button kind="danger" onClick={leave}>
            Leave without saving
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
