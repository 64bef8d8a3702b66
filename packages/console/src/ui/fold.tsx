import type { ReactNode } from "react";

interface FoldProps {
  /** "Details" for what is only read, "Advanced" for what few people change. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** What few people need, folded. */
export function Fold({ label = "Details", children }: FoldProps) {
  return (
    <details className="text-sm">
      <summary className="text-soft">{label}</summary>
      <div className="mt-3 flex min-w-0 flex-col gap-3">{children}</div>
    </details>
  );
}
