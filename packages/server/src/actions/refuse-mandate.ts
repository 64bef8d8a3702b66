import type { ReasonCode } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { RecordDraft } from "../owners/audit/drafts.js";
import { isoTime } from "../platform/clock.js";

/** Why a mandate was refused: to the agent in a word of the contract, to the log in full. */
export interface MandateFault {
  readonly reason: ReasonCode;
  /** The specific reason, where the agent is told a broader one. */
  readonly specific?: string | undefined;
  /** Says more than the reason's own sentence. */
  readonly message?: string | undefined;
  readonly retryAfterS?: number | undefined;
  /** What helps a developer, in development only. */
  readonly hints?: Readonly<Record<string, string>> | undefined;
}

/** What a signature has proven of a mandate; what a record says of it. */
export interface ProvenFacts {
  readonly agentId: string;
  readonly kid: string;
  readonly mandateId: string;
  readonly digest: string;
  readonly skill: string;
  readonly protocol: string;
}

/** The members of a record that say who asked for what. */
export function aboutMandate(facts: ProvenFacts, requestId: string) {
  const { agentId, kid, mandateId, digest, skill, protocol } = facts;
  return {
    agent: { id: agentId, key_thumbprint: kid },
    mandate: { digest, mandate_id: mandateId },
    ...{ protocol, skill },
    request: requestOf(requestId),
  };
}

const requestOf = (id: string) => ({ id, method: "POST", route: "/v1/m/{site_key}/mandate" });

export function refusalRecord(
  { reason, specific }: MandateFault,
  { requestId, proven }: { requestId: string; proven?: ProvenFacts | undefined },
  now: number,
): RecordDraft {
  const about =
    proven === undefined ? { request: requestOf(requestId) } : aboutMandate(proven, requestId);
  const decision = { outcome: "rejected", reason_codes: [specific ?? reason] };
  return { type: "mandate.decision", occurredAt: now, content: { ...about, decision } };
}

const MINUTE_MS = 60_000;
/** Refusals recorded one by one, for a site and a minute; the rest is one record. */
const SINGLE_MAX = 60;

interface Minute {
  readonly start: number;
  single: number;
  folded: number;
  readonly reasons: Set<string>;
}

function foldedRecords({ start, folded, reasons }: Minute, now: number): RecordDraft[] {
  if (folded === 0) return [];
  const refusals = { count: folded, minute: isoTime(start), reason_codes: [...reasons].sort() };
  return [{ type: "refusals.folded", occurredAt: now, content: { refusals } }];
}

/**
 * Records refusals that anybody can cause at will: one by one, and beyond a number in a minute as one
 * record for the rest, so that nobody can fill a site's log. What was only counted when a process
 * dies is lost; nothing was decided by it.
 */
export class FoldedRefusals {
  private readonly minutes = new Map<string, Minute>();

  async record(
    context: Context,
    siteKeyHash: string,
    fault: MandateFault,
    about: { requestId: string; proven?: ProvenFacts | undefined },
  ): Promise<void> {
    const { audit, clock } = context;
    const now = clock.now();
    const records = this.closeIfOver(siteKeyHash, now);
    const minute = this.minuteOf(siteKeyHash, now);
    if (minute.single < SINGLE_MAX) {
      minute.single++;
      records.push(refusalRecord(fault, about, now));
    } else {
      if (minute.folded++ === 0) this.flushLater(context, minute.start + MINUTE_MS - now);
      minute.reasons.add(fault.specific ?? fault.reason);
    }
    if (records.length === 0) return;
    await audit.commit(siteKeyHash, async () => ({ records, answer: null }));
  }

  /** Each process has counts of its own, so each writes them by itself. */
  private flushLater(context: Context, delayMs: number): void {
    context.clock.after(delayMs, () => {
      this.flush(context).catch((error: unknown) => {
        context.log.error({ error }, "mandates.refusals_not_recorded");
      });
    });
  }

  /** Writes what minutes that are over have counted, or all of them before the process ends. */
  async flush({ audit, clock }: Context, all = false): Promise<void> {
    const now = clock.now();
    for (const site of [...this.minutes.keys()]) {
      const records = this.closeIfOver(site, all ? now + MINUTE_MS : now);
      if (records.length === 0) continue;
      await audit.commit(site, async () => ({ records, answer: null }));
    }
  }

  private minuteOf(siteKeyHash: string, now: number): Minute {
    let minute = this.minutes.get(siteKeyHash);
    if (minute === undefined) {
      minute = { start: now - (now % MINUTE_MS), single: 0, folded: 0, reasons: new Set() };
      this.minutes.set(siteKeyHash, minute);
    }
    return minute;
  }

  private closeIfOver(siteKeyHash: string, now: number): RecordDraft[] {
    const minute = this.minutes.get(siteKeyHash);
    if (minute === undefined || now < minute.start + MINUTE_MS) return [];
    this.minutes.delete(siteKeyHash);
    return foldedRecords(minute, now);
  }
}
