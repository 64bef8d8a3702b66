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
  /** A narrower reason that the agent may know. */
  readonly reasonCode?: string | undefined;
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

function refusalRecord(
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
/** Refusals recorded one by one, for a site or an agent of it and a minute; the rest is one record. */
const SINGLE_MAX = 60;
/** Minutes remembered before those that said nothing are dropped. */
const MINUTES_MAX = 10_000;

interface Minute {
  readonly siteKeyHash: string;
  readonly agentId: string | undefined;
  readonly start: number;
  single: number;
  folded: number;
  readonly reasons: Set<string>;
}

/** Whose refusals are counted together: those of strangers to a site, or those of one agent. */
export interface Refused {
  readonly siteKeyHash: string;
  readonly agentId?: string | undefined;
}

function foldedRecords({ start, folded, reasons, agentId }: Minute, now: number): RecordDraft[] {
  if (folded === 0) return [];
  const refusals = { count: folded, minute: isoTime(start), reason_codes: [...reasons].sort() };
  const about = agentId === undefined ? {} : { agent: { id: agentId } };
  return [{ type: "refusals.folded", occurredAt: now, content: { ...about, refusals } }];
}

/**
 * Refusals that somebody can cause at will: recorded one by one, and beyond a number in a minute as
 * one record for the rest, so that nobody can fill a site's log. What was only counted when a process
 * dies is lost; nothing was decided by it.
 */
export class FoldedRefusals {
  private readonly minutes = new Map<string, Minute>();

  /** What is to be recorded of a refusal now: mostly itself, and a minute that is over. */
  draftsOf(
    context: Context,
    whose: Refused,
    fault: MandateFault,
    about: { requestId: string; proven?: ProvenFacts | undefined },
  ): RecordDraft[] {
    const now = context.clock.now();
    const key = `${whose.siteKeyHash} ${whose.agentId ?? ""}`;
    const records = this.closeIfOver(key, now);
    const minute = this.minuteOf(key, whose, now);
    if (minute.single < SINGLE_MAX) {
      minute.single++;
      records.push(refusalRecord(fault, about, now));
    } else {
      if (minute.folded++ === 0) this.flushLater(context, minute.start + MINUTE_MS - now);
      minute.reasons.add(fault.specific ?? fault.reason);
    }
    return records;
  }

  /** Records a refusal that nothing else is written with. */
  async record(
    context: Context,
    siteKeyHash: string,
    fault: MandateFault,
    about: { requestId: string },
  ): Promise<void> {
    const records = this.draftsOf(context, { siteKeyHash }, fault, about);
    if (records.length === 0) return;
    await context.audit.commit(siteKeyHash, async () => ({ records, answer: null }));
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
    for (const [key, { siteKeyHash }] of [...this.minutes]) {
      const records = this.closeIfOver(key, all ? now + MINUTE_MS : now);
      if (records.length === 0) continue;
      await audit.commit(siteKeyHash, async () => ({ records, answer: null }));
    }
  }

  private minuteOf(key: string, { siteKeyHash, agentId }: Refused, now: number): Minute {
    let minute = this.minutes.get(key);
    if (minute === undefined) {
      const start = now - (now % MINUTE_MS);
      minute = { siteKeyHash, agentId, start, single: 0, folded: 0, reasons: new Set() };
      this.minutes.set(key, minute);
      if (this.minutes.size > MINUTES_MAX) this.forgetQuiet(now);
    }
    return minute;
  }

  /** Minutes that are over and folded nothing need not be kept: nothing is to be said of them. */
  private forgetQuiet(now: number): void {
    for (const [key, { start, folded }] of this.minutes) {
      if (folded === 0 && now >= start + MINUTE_MS) this.minutes.delete(key);
    }
  }

  private closeIfOver(key: string, now: number): RecordDraft[] {
    const minute = this.minutes.get(key);
    if (minute === undefined || now < minute.start + MINUTE_MS) return [];
    this.minutes.delete(key);
    return foldedRecords(minute, now);
  }
}
