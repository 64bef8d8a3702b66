import type { AuditLog } from "../../domain/audit/audit-log.js";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import { recordExists } from "../../domain/audit/records/store.js";
import {
  type RejectedCaller,
  RejectionCounts,
  type RejectionEndpoint,
  type SealedCounts,
} from "../../domain/rejections/rejection-counts.js";
import { takeSingle } from "../../domain/rejections/store.js";
import { type Clock, isoTime } from "../../infra/clock.js";
import type { CrashPoint } from "../../infra/crash-points.js";
import type { Transaction } from "../../infra/db/database.js";
import type { Ids } from "../../infra/ids.js";
import { newRecordId } from "../../infra/ids.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import { MINUTE_MS } from "../../infra/time.js";

/** How long until counts that could not be written are retried. */
const RETRY_MS = 15_000;

/** A refused request, as its records name it. */
export const REJECTED_REQUESTS: Readonly<
  Record<RejectionEndpoint, { readonly method: "POST"; readonly route: string }>
> = {
  mandates: { method: "POST", route: "/v1/m/{site_key}/mandate" },
  mcp: { method: "POST", route: "/v1/mcp/{site_key}" },
};

export interface Rejection {
  readonly caller: RejectedCaller;
  /** One of our own codes, never a caller's text. */
  readonly reason: string;
  /** Its own record, if it has one. */
  readonly record: RecordDraft;
}

/** The records of a refusal, and what changes in memory after the commit. */
export interface RejectionCommit {
  readonly records: readonly RecordDraft[];
  readonly after?: (() => void) | undefined;
}

function countsRecord({ caller, recordId, from, until, reasons }: SealedCounts): RecordDraft {
  const { agentId, endpoint } = caller;
  const count = Object.values(reasons).reduce((sum, one) => sum + one, 0);
  const content = {
    ...(agentId === undefined ? {} : { agent: { id: agentId } }),
    refusals: {
      count,
      counts: { ...reasons },
      minute: isoTime(from),
      until: isoTime(until),
      reason_codes: Object.keys(reasons),
    },
    request: { ...REJECTED_REQUESTS[endpoint] },
  };
  return { type: "refusals.folded", recordId, occurredAt: until, content };
}

interface AggregatorTools {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly crashPoint: CrashPoint;
}

/**
 * Records refusals that anybody can cause. The first of a minute and of a day get a record each. The others are
 * counted in memory and written as one record when the minute ends, so that nobody can fill a site's log. A
 * crash loses the counts that are not written yet; no decision depends on them.
 */
export class RejectionAggregator {
  private readonly tools: AggregatorTools;
  private readonly counts = new RejectionCounts();
  private cancelTimer: (() => void) | undefined;
  private writing: Promise<boolean> = Promise.resolve(true);
  private readonly counted: (labels: { readonly area: RejectionEndpoint }) => void;

  constructor(tools: AggregatorTools) {
    this.tools = tools;
    this.counted = tools.metrics.counter("gatehouse_rejections_aggregated_total");
    tools.metrics.gauge("gatehouse_rejections_unwritten", () => this.counts.waiting);
  }

  /** The record of a refusal, for its commit. Memory changes only after the commit. */
  async take(tx: Transaction, rejection: Rejection, now: number): Promise<RejectionCommit> {
    const { caller, record } = rejection;
    const { clock } = this.tools;
    if (this.counts.isFull(caller, now)) return { records: [], after: () => this.count(rejection) };
    const fullUntil = await takeSingle(tx, caller, now);
    if (fullUntil === undefined) return { records: [record] };
    const after = () => {
      this.counts.markFull(caller, fullUntil, clock.now());
      this.count(rejection);
    };
    return { records: [], after };
  }

  /** Whether the next refusal of a caller is only counted: then nothing has to be committed. */
  isFull(caller: RejectedCaller): boolean {
    return this.counts.isFull(caller, this.tools.clock.now());
  }

  /** Counts a refusal that gets no separate record. */
  count({ caller, reason }: Pick<Rejection, "caller" | "reason">): void {
    const now = this.tools.clock.now();
    this.counts.count(caller, reason, now);
    this.counted({ area: caller.endpoint });
    this.writeAfter(MINUTE_MS - (now % MINUTE_MS));
  }

  /** Records a refusal in a separate commit. */
  async record(rejection: Rejection): Promise<void> {
    const { audit, clock } = this.tools;
    const { caller } = rejection;
    if (this.isFull(caller)) return this.count(rejection);
    await audit.commit(caller.siteKeyHash, async (tx) => ({
      ...(await this.take(tx, rejection, clock.now())),
      answer: null,
    }));
  }

  /** Each process counts separately and writes its own counts. */
  private writeAfter(delayMs: number): void {
    if (this.cancelTimer !== undefined) return;
    this.cancelTimer = this.tools.clock.after(delayMs, () => {
      this.cancelTimer = undefined;
      // Failures are logged where they happen: `write` does not reject.
      void this.write().then((written) => {
        if (this.counts.waiting === 0) return;
        // A timer may fire a moment before the minute ends by the clock: what is open then is not
        // due yet, and gets another timer.
        const now = this.tools.clock.now();
        this.writeAfter(written ? MINUTE_MS - (now % MINUTE_MS) : RETRY_MS);
      });
    });
  }

  /** Writes the counts of minutes that have ended; false if some could not be written. */
  private write(all = false): Promise<boolean> {
    // One at a time: a second writer would write what the first is about to.
    this.writing = this.writing.then(() => this.writeSealed(all));
    return this.writing;
  }

  private async writeSealed(all: boolean): Promise<boolean> {
    const { clock, ids, log } = this.tools;
    const now = clock.now();
    const due = this.counts.seal(now, () => newRecordId(ids, now), all);
    const results = await Promise.allSettled(due.map((counts) => this.writeOne(counts)));
    const failed = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    for (const error of failed) log.error({ error }, "rejections.not_recorded");
    return failed.length === 0;
  }

  private async writeOne(counts: SealedCounts): Promise<void> {
    const { audit, crashPoint } = this.tools;
    crashPoint("rejections.sealed");
    await audit.commit(counts.caller.siteKeyHash, async (tx) => {
      // An earlier attempt may have been committed without an answer.
      const isWritten = await recordExists(tx, counts.recordId);
      const after = () => this.counts.written(counts);
      return { records: isWritten ? [] : [countsRecord(counts)], answer: null, after };
    });
    crashPoint("rejections.written");
  }

  /** Writes everything, the running minute included. What cannot be written is lost. */
  async close(): Promise<void> {
    this.cancelTimer?.();
    await this.write(true);
    // Counts that waited for earlier ones are written now.
    if (this.counts.waiting > 0) await this.write(true);
    this.cancelTimer?.();
  }
}
