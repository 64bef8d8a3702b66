import { type ReactNode, useState } from "react";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import { Failure } from "./notice.js";

interface DialogProps {
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  readonly yes: string;
  /** What the other button says, if “Cancel” would be unclear. */
  readonly no?: string;
  readonly danger?: boolean | undefined;
  onYes(): Promise<unknown>;
}

/** A dialog that says what will happen and asks for confirmation. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  children,
  yes,
  no = "Cancel",
  danger,
  onYes,
}: DialogProps & { readonly open: boolean; onClose(): void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function go() {
    setBusy(true);
    setError(null);
    try {
      await onYes();
      onClose();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  }
  return (
    <Dialog open={open} title={title} onClose={onClose}>
      <div className="flex flex-col gap-4 text-left">
        <div className="flex flex-col gap-3 text-sm">{children}</div>
        {error !== null && <Failure error={error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{no}</Button>
          <Button kind={danger ? "danger" : "act"} disabled={busy} onClick={() => void go()}>
            {yes}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** A button that opens a dialog, which says what will happen and asks for confirmation. */
export function Confirm({
  label,
  kind,
  disabled,
  ...dialog
}: DialogProps & {
  /** The look of the button, if it is the main one of its page. */
  readonly kind?: "act" | undefined;
  /** The text of the button that opens the dialog. */
  readonly label: string;
  readonly disabled?: boolean;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        kind={kind ?? (dialog.danger ? "danger" : "plain")}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <ConfirmDialog {...dialog} open={open} onClose={() => setOpen(false)} />
    </>
  );
}
