import { useEffect, useState } from "react";
import { useZone } from "../layout/zone.js";
import { MINUTE_MS } from "./time-units.js";
import { fullTime, shortTime } from "./times.js";
import { agoText } from "./words.js";

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

/** How long ago something was, kept true while somebody looks at it. */
export function Ago({ at }: { readonly at: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={fullTime(iso, useZone())}>
      {agoText(Math.max(0, now - at))}
    </time>
  );
}
