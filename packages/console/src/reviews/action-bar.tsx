import type { ReactNode } from "react";

/**
 * The place of the buttons of a review: beside the amount, and on a phone at the lower edge of the screen, where
 * a thumb reaches them.
 */
export function ActionBar({
  wide = false,
  children,
}: {
  /** Whether it needs a row of its own. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}) {
  const phone =
    "max-sm:sticky max-sm:bottom-[var(--bottom-bar,0px)] max-sm:order-last max-sm:-mx-4 max-sm:-mb-4 max-sm:rounded-b-lg max-sm:border-t max-sm:border-line max-sm:bg-card max-sm:p-3";
  return (
    <div className={`flex min-w-0 flex-col gap-2 ${wide ? "sm:col-span-2" : ""} ${phone}`}>
      {children}
    </div>
  );
}
