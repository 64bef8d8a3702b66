import { type ReactNode, useState } from "react";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import { Failure } from "./notice.js";

interface ConfirmProps {
  /** The text of the button that opens the dialog. */
  readonly label: string;
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  readonly yes: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  onYes(): Promise<unknown>;
}

/** A button that opens a dialog, which says what will happen and asks for confirmation. */
export function Confirm({ label, title, children, yes, danger, disabled, onYes }: ConfirmProps) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function go() {
    setBusy(true);
    setError(null);
    try {
      await onYes();
      setOpen(false);
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <Button kind={danger ? "danger" : "plain"} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog open={open} title={title} onClose={() => setOpen(false)}>
        <div className="flex flex-col gap-4 text-left">
          <div className="flex flex-col gap-3 text-sm">{children}</div>
          {error !== null && <Failure error={error} />}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button kind={danger ? "danger" : "act"} disabled={busy} onClick={() => void go()}>
              {yes}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}
