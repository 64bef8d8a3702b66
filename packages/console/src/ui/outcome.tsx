import { useEffect } from "react";
import { Failure } from "./notice.js";
import { notify } from "./toast.js";

/** The result of the last change. */
export function SaveMessage({
  of,
  done = "Saved.",
}: {
  readonly of: {
    readonly isSuccess: boolean;
    readonly isError: boolean;
    readonly error: unknown;
    readonly submittedAt: number;
  };
  readonly done?: string;
}) {
  const { isSuccess, submittedAt } = of;
  useEffect(() => {
    if (isSuccess && submittedAt > 0) notify(done);
  }, [isSuccess, submittedAt, done]);
  return of.isError ? <Failure error={of.error} /> : null;
}
