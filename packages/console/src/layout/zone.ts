import { createContext, use } from "react";

/** The time zone of this browser. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone of the shop, inside the frame of a site. */
export const Zone = createContext(OWN_ZONE);

/** The time zone of all times and days on a page: the shop's, or the browser's if the shop has none. */
export const useZone = () => use(Zone);

/** A zone that this browser can show. The service may know newer ones. */
export function shownZone(timeZone: string | null | undefined): string {
  if (timeZone == null) return OWN_ZONE;
  try {
    new Intl.DateTimeFormat(undefined, { timeZone });
    return timeZone;
  } catch {
    return OWN_ZONE;
  }
}
