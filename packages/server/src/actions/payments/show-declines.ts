import type { Context } from "../../context.js";
import type { Wait } from "../../domain/declines/decline.js";
import { countEnded, listWaits } from "../../domain/declines/store.js";
import { DECLINES_WINDOW_MS, handedOffUntil } from "../../domain/declines/waits.js";
import { measureOpenPayments } from "../../domain/payments/store.js";

/** Waiting callers that are shown. */
export const WAITS_SHOWN_MAX = 100;

/** The wait of a caller, not of the whole site. */
type CallerWait = Wait & { readonly kind: Exclude<Wait["kind"], "site"> };

interface Declines {
  readonly windowMs: number;
  /** Payments that ended within the window, and those of them that were declined. */
  readonly ended: number;
  readonly declined: number;
  /** Payments without a known outcome, whenever they began. */
  readonly open: { readonly count: number; readonly since: number | null };
  /** Until when platforms that are not admitted must hand off; undefined if they need not. */
  readonly handOffUntil: number | undefined;
  /** The longest wait first. */
  readonly waits: readonly CallerWait[];
}

/** Declined payments of a site, and the callers that have to wait because of them. */
export async function showDeclines({ clock, db }: Context, siteKeyHash: string): Promise<Declines> {
  const now = clock.now();
  const { ended, declined } = await countEnded(db, { siteKeyHash }, now - DECLINES_WINDOW_MS);
  const open = await measureOpenPayments(db, siteKeyHash);
  const handOffUntil = await handedOffUntil(db, siteKeyHash, now);
  // One more, because the wait of the site itself is among them and is not shown.
  const waits = await listWaits(db, siteKeyHash, now, WAITS_SHOWN_MAX + 1);
  const ofCallers = waits.filter((wait): wait is CallerWait => wait.kind !== "site");
  return {
    windowMs: DECLINES_WINDOW_MS,
    ended,
    declined,
    open,
    handOffUntil,
    waits: ofCallers.slice(0, WAITS_SHOWN_MAX),
  };
}
