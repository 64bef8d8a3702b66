import { timeText } from "./words.js";

/** A moment in the reader's zone; the exact one on hovering, and for programs. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at} className="sm:whitespace-nowrap">
      {timeText(at)}
    </time>
  );
}
