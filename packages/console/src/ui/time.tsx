import { useZone } from "../layout/zone.js";
import { fullTime, shortTime } from "./times.js";

/** A time in full, in the zone of the shop. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} className="sm:whitespace-nowrap">
      {fullTime(at, useZone())}
    </time>
  );
}

/** A time in a list, as short as possible. The full time and the zone are shown on hover. */
export function ShortTime({ at }: { readonly at: string }) {
  const zone = useZone();
  return (
    <time dateTime={at} title={fullTime(at, zone)} className="whitespace-nowrap">
      {shortTime(at, zone)}
    </time>
  );
}
