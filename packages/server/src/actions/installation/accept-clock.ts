import { CLOCK_SKEW_MS, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { INSTALLATION } from "../../domain/audit/log.js";
import { isoTime } from "../../infra/clock.js";
import { ClockWrongError } from "../../infra/installation/clock-check.js";
import { writeFact } from "../../infra/installation/installation.js";

interface Accepted {
  /** The later time that no longer counts. */
  readonly lastSeenAt: number;
  readonly now: number;
}

interface Acceptance {
  readonly reason: string;
  readonly actor: Actor;
}

/** Why the present time cannot be accepted; undefined if it can. */
async function obstacle(
  { clockGuard, db }: Context,
  { lastSeenAt, now }: Accepted,
): Promise<string | undefined> {
  if (lastSeenAt - now <= CLOCK_SKEW_MS) {
    return "The clock does not show an earlier time than before, so there is nothing to accept.";
  }
  try {
    await clockGuard.refuseSkew(db, now);
    return undefined;
  } catch (error) {
    if (!(error instanceof ClockWrongError)) throw error;
    return `The time was not accepted: ${error.message}. Correct the clocks of both machines first.`;
  }
}

/**
 * An operator accepts the present time although a later one was seen, because the clock was ahead. The
 * transaction that makes it count also writes the record into the installation's log.
 */
export async function acceptClock(
  context: Context,
  { reason, actor }: Acceptance,
): Promise<Result<Accepted, "conflict">> {
  const { audit, clock, clockGuard, db, ids, log } = context;
  const now = clock.now();
  const accepted = { lastSeenAt: await clockGuard.lastSeenAt(db), now };
  const refused = await obstacle(context, accepted);
  if (refused !== undefined) return refuse("conflict", refused);
  const times = { last_seen_at: isoTime(accepted.lastSeenAt), accepted_at: isoTime(now) };
  const draft = actorDraft("clock.accepted", actor, now, { clock: { reason, ...times } });
  await audit.commit(INSTALLATION, async (tx) => {
    await writeFact(tx, "last_seen_at", String(now));
    // A new value tells every process to drop the latest time it has seen.
    await writeFact(tx, "clock_accepted", ids.timeId("clk", now));
    return { records: [draft], answer: null };
  });
  log.warn({ reason, by: actor.id, ...times }, "clock.accepted");
  return ok(accepted);
}
