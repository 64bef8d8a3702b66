import type { ReactNode } from "react";
import { Failure, Notice } from "./notice.js";

/** The result of the last change. */
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
