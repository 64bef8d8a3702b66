import type { ReactNode } from "react";

/** A key of the keyboard. */
export function Key({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="rounded border border-line px-1.5 py-0.5 font-sans text-xs">{children}</kbd>
  );
}
