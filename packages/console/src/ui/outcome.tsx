import type { ReactNode } from "react";
import { Failure, Notice } from "./notice.js";

/** What became of the last change: done, or why not. */
export function Outcome({
  of,
  done = "Saved.",
}: {
  readonly of: { readonly isSuccess: boolean; readonly isError: boolean; readonly error: unknown };
  readonly done?: ReactNode;
}) {
  if (of.isError) return <Failure error={of.error} />;
  return of.isSuccess ? <Notice>{done}</Notice> : null;
}
