import { DialogDismiss, DialogHeading, Dialog as Modal } from "@ariakit/react";
import { X } from "lucide-react";
import type { ReactNode } from "react";

const PLACES = {
  /** In the middle, for a question. */
  middle: "m-auto w-[calc(100%-2rem)] max-w-md rounded-lg p-5",
  /** At the top, for a list that grows and shrinks while somebody types. */
  top: "mx-auto mt-[10vh] w-[calc(100%-2rem)] max-w-xl rounded-lg",
  /** At the bottom of a phone, under the thumb. */
  bottom: "mx-auto mt-auto w-full max-w-xl rounded-t-lg p-4 pb-8",
} as const;

interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly place?: keyof typeof PLACES;
  /** The title is only for screen readers. */
  readonly plain?: boolean;
  readonly children: ReactNode;
  onClose(): void;
}

/** A window above the page. It keeps the focus, and Escape closes it. */
export function Dialog({ open, title, place = "middle", plain, children, onClose }: DialogProps) {
  if (!open) return null;
  return (
    <Modal
      open
      onClose={onClose}
      backdrop={<div className="bg-black/50" />}
      className={`fixed inset-0 z-50 flex h-fit max-h-[85vh] flex-col overflow-auto border border-line bg-card text-ink shadow-lg ${PLACES[place]}`}
    >
      <div className={plain ? "sr-only" : "mb-4 flex items-start gap-4"}>
        <DialogHeading className="min-w-0 flex-1 text-lg font-semibold">{title}</DialogHeading>
        <DialogDismiss aria-label="Close" className="rounded-lg p-1 text-soft hover:bg-line/40">
          <X aria-hidden size={18} />
        </DialogDismiss>
      </div>
      {children}
    </Modal>
  );
}
