import { timeText } from "./words.js";

/** A time in the reader's zone. The exact time is shown on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at} className="sm:whitespace-nowrap">
      {timeText(at)}
    </time>
  );
}
