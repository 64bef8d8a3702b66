import { MARK_PATH } from "@gatehouse/protocol";

/** The mark of the product. Words beside it name the product. */
export function Mark({ className = "size-7" }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={`shrink-0 text-act ${className}`}>
      <path fill="currentColor" d={MARK_PATH} />
    </svg>
  );
}
