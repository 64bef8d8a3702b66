import { dayEnd, dayStart } from "./days.js";
import { TextField } from "./field.js";

interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Days as a filter of the API: from the start of the first to the end of the last. */
export function spanOf({ from, to }: Days) {
  return { from: dayStart(from), to: dayEnd(to) };
}

/** The first and the last day of a list, in the reader's time zone. */
export function DayRange({
  from,
  to,
  onSet,
}: Days & { onSet(part: "from" | "to", day: string): void }) {
  return (
    <>
      <TextField
        label="From"
        type="date"
        value={from ?? ""}
        onChange={({ target }) => onSet("from", target.value)}
      />
      <TextField
        label="To"
        type="date"
        value={to ?? ""}
        onChange={({ target }) => onSet("to", target.value)}
      />
    </>
  );
}
