import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./button.js";
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
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
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
  const kind = danger ? "danger" : "act";
  return (
    <>
      <Button kind={danger ? "danger" : "plain"} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && (
        <dialog
          ref={dialog}
          aria-label={title}
          onClose={() => setOpen(false)}
          className="m-auto w-full max-w-md rounded-xl border border-line bg-card p-5 text-ink backdrop:bg-black/50"
        >
          <div className="flex flex-col gap-4 text-left">
            <h2 className="text-lg font-semibold">{title}</h2>
            <div className="flex flex-col gap-3 text-sm">{children}</div>
            {error !== null && <Failure error={error} />}
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={() => setOpen(false)}>Cancel</Button>
              <Button kind={kind} disabled={busy} onClick={() => void go()}>
                {yes}
              </Button>
            </div>
          </div>
        </dialog>
      )}
    </>
  );
}
