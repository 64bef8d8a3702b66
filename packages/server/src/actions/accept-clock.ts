import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { type Actor, actorDraft } from "../owners/audit/drafts.js";
import { HeldLogError } from "../owners/audit/log.js";
import type { Site } from "../owners/sites/site.js";
import { listSites, type SiteFilter } from "../owners/sites/store.js";
import { isoTime } from "../platform/clock.js";
import { CLOCK_SKEW_MS_MAX, ClockWrongError } from "../platform/installation/clock-check.js";
import { writeFact } from "../platform/installation/installation.js";

/** Sites whose logs are written to in one go. */
const SITES_AT_ONCE = 100;

interface Accepted {
  /** The moment that had been seen before, and counts no more. */
  readonly lastSeenAt: number;
  readonly now: number;
}

interface Acceptance {
  readonly reason: string;
  readonly actor: Actor;
}

/** Every site's log says that time went back: what is dated twice can be told apart. */
async function recordAtSites(
  { audit, db, log }: Context,
  { lastSeenAt, now }: Accepted,
  { reason, actor }: Acceptance,
): Promise<void> {
  const change = {
    ...{ kind: "clock_accepted", reason },
    ...{ last_seen_at: isoTime(lastSeenAt), accepted_at: isoTime(now) },
  };
  const draft = actorDraft("site.changed", actor, now, { change });
  const all = { visible: null, domain: null, limit: SITES_AT_ONCE };
  for (let after: SiteFilter["after"] = null; ; ) {
    const sites: Site[] = await listSites(db, { ...all, after });
    const written = sites.map(async ({ siteKeyHash, domain }) => {
      await audit
        .commit(siteKeyHash, async () => ({ records: [draft], answer: null }))
        .catch((error: unknown) => {
          // A frozen log takes nothing; it must not keep all the others from going on.
          if (!(error instanceof HeldLogError)) throw error;
          log.warn({ domain, error }, "clock.acceptance_not_recorded");
        });
    });
    await Promise.all(written);
    const last = sites.at(-1);
    if (last === undefined || sites.length < SITES_AT_ONCE) return;
    after = { createdAt: last.createdAt, id: last.siteKeyHash };
  }
}

/**
 * An operator declares the present time right though a later one was seen: the clock had been ahead.
 * The logs tell of it before it counts; a crash in between leaves the clock refused, to be accepted again.
 */
export async function acceptClock(
  context: Context,
  acceptance: Acceptance,
): Promise<Result<Accepted, "conflict">> {
  const { clock, clockGuard, db, ids, log } = context;
  const now = clock.now();
  const lastSeenAt = await clockGuard.lastSeenAt(db);
  if (lastSeenAt - now <= CLOCK_SKEW_MS_MAX) {
    return refuse("conflict", "The clock is not behind a time it has shown: nothing to accept.");
  }
  try {
    await clockGuard.refuseSkew(db, now);
  } catch (error) {
    if (!(error instanceof ClockWrongError)) throw error;
    const detail = `Not accepted: ${error.message}. Set both machines' clocks right first.`;
    return refuse("conflict", detail);
  }
  const accepted = { lastSeenAt, now };
  await recordAtSites(context, accepted, acceptance);
  await db.transaction(async (tx) => {
    await writeFact(tx, "last_seen_at", String(now));
    // Any value not seen before: it tells every process that what it has seen counts no more.
    await writeFact(tx, "clock_accepted", ids.timeId("clk", now));
  });
  const { reason, actor } = acceptance;
  log.warn({ reason, by: actor.id, last_seen_at: isoTime(lastSeenAt) }, "clock.accepted");
  return ok(accepted);
}
