import type { Context } from "../context.js";
import type { Clock } from "../platform/clock.js";
import { pingDatabase } from "../platform/db/database.js";
import { checkClock } from "../platform/installation/clock-check.js";

const READINESS_PARTS = ["database", "keys", "clock", "audit"] as const;
export type ReadinessPart = (typeof READINESS_PARTS)[number];

/** Whoever asks about readiness wants to know now; a part that does not answer is not ready. */
const PART_MS_MAX = 3000;

function inTime(clock: Clock, check: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(PART_MS_MAX, () => reject(new Error("no answer in time")));
    check.then(resolve, reject).finally(cancel);
  });
}

/** Names of the parts that cannot do their work now; why is in the log, not in the answer. */
export async function failingParts(context: Context): Promise<ReadinessPart[]> {
  const { db, keys, clock, log, audit } = context;
  const checks: Record<ReadinessPart, () => Promise<unknown>> = {
    database: () => pingDatabase(db),
    keys: () => keys.check(),
    clock: () => checkClock(db, clock.now()),
    audit: () => audit.check(),
  };
  const verdicts = await Promise.all(
    READINESS_PARTS.map(async (part) => {
      try {
        await inTime(clock, checks[part]());
        return undefined;
      } catch (error) {
        log.warn({ part, error }, "ready.failing");
        return part;
      }
    }),
  );
  return verdicts.filter((part) => part !== undefined);
}
