import type { Clock } from "../clock.js";
import { addedUp, countersOf, type MetricsReport } from "../metrics-report.js";
import { SECOND_MS } from "../time.js";

/** How long the metrics of one worker wait for those of the others. */
const REPORT_MS_MAX = SECOND_MS;

interface Gathering {
  readonly asker: number;
  readonly askerId: number;
  readonly missing: Set<number>;
  readonly cancel: () => void;
}

/**
 * Carries the metrics of workers from one to another. It keeps the last report of each, for one that does
 * not answer in time, and the counters of those that have ended: a sum that fell would look like a restart.
 */
export class ReportExchange {
  private readonly clock: Clock;
  private readonly tell: (worker: number, message: ToWorker) => void;
  private readonly gatherings = new Map<number, Gathering>();
  /** The last report of each worker that runs. */
  private readonly last = new Map<number, MetricsReport>();
  /** The counters of workers that have ended. */
  private before: MetricsReport = [];
  private lastId = 0;

  constructor(clock: Clock, tell: (worker: number, message: ToWorker) => void) {
    this.clock = clock;
    this.tell = tell;
  }

  /** A worker asks for the metrics of the others. */
  gather(
    asker: number,
    { id: askerId, report }: Extract<FromWorker, { kind: "gather" }>,
    serving: readonly number[],
  ): void {
    this.last.set(asker, report);
    const id = ++this.lastId;
    const missing = new Set(serving.filter((worker) => worker !== asker));
    const cancel = this.clock.after(REPORT_MS_MAX, () => this.finish(id));
    this.gatherings.set(id, { asker, askerId, missing, cancel });
    for (const worker of missing) this.tell(worker, { kind: "report", id });
    if (missing.size === 0) this.finish(id);
  }

  /** A worker answers such a question. */
  take(worker: number, { id, report }: Extract<FromWorker, { kind: "report" }>): void {
    this.last.set(worker, report);
    const gathering = this.gatherings.get(id);
    gathering?.missing.delete(worker);
    if (gathering?.missing.size === 0) this.finish(id);
  }

  ended(worker: number): void {
    const report = this.last.get(worker);
    if (report !== undefined) this.before = addedUp([this.before, countersOf(report)]);
    this.last.delete(worker);
    for (const [id, { missing }] of this.gatherings) {
      if (missing.delete(worker) && missing.size === 0) this.finish(id);
    }
  }

  private finish(id: number): void {
    const gathering = this.gatherings.get(id);
    if (gathering === undefined) return;
    this.gatherings.delete(id);
    gathering.cancel();
    const { asker, askerId } = gathering;
    const others = [...this.last].flatMap(([worker, report]) => (worker === asker ? [] : [report]));
    this.tell(asker, { kind: "reports", id: askerId, reports: [this.before, ...others] });
  }
}

/** What the process that started the workers tells one of them. */
export type ToWorker =
  /** Start the service as the worker of this number. `port`: where others listen already, if any do. */
  | { readonly kind: "begin"; readonly worker: number; readonly port: number | undefined }
  | { readonly kind: "report"; readonly id: number }
  | { readonly kind: "reports"; readonly id: number; readonly reports: readonly MetricsReport[] };

/** What a worker tells the process that started it. */
export type FromWorker =
  /** It listens to messages now. */
  | { readonly kind: "started" }
  | { readonly kind: "ready"; readonly port: number }
  /** It wants the metrics of the others, and shows them those it has. */
  | { readonly kind: "gather"; readonly id: number; readonly report: MetricsReport }
  | { readonly kind: "report"; readonly id: number; readonly report: MetricsReport };
