import { endOfDay, startOfDay } from "@gatehouse/protocol";
import { useZone } from "../layout/zone.js";
import { TextField } from "./field.js";

interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const isoOf = (ms: number | undefined) => (ms === undefined ? ms : new Date(ms).toISOString());

/** Days of the shop as a filter of the API: from the start of the first to the end of the last. */
export function useSpan({ from = "", to = "" }: Days) {
  const zone = useZone();
  return { from: isoOf(startOfDay(from, zone)), to: isoOf(endOfDay(to, zone)) };
}

/** The first and the last day of a list. */
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
