import cluster, { type Worker } from "node:cluster";
import { StartupError } from "../../startup-error.js";
import { type Clock, keepAlive } from "../clock.js";
import type { Log } from "../log/log.js";
import type { MetricsReport } from "../metrics.js";
import { MINUTE_MS, SECOND_MS } from "../time.js";
import type { FromWorker, ToWorker } from "./messages.js";

/** A worker that ended is started again after this; each time it ends soon, after twice as long. */
const RESTART_MS_MIN = SECOND_MS;
const RESTART_MS_MAX = 30 * SECOND_MS;
/** A worker that ran for this long did not end because of its start. */
const STEADY_MS = MINUTE_MS;
/** How long a stopping worker may take: longer than the requests under way may. */
const STOP_MS_MAX = 20 * SECOND_MS;
/** How long the metrics of one worker wait for those of the others. */
const REPORT_MS_MAX = SECOND_MS;

interface PrimaryTools {
  readonly clock: Clock;
  readonly log: Log;
}

/** One place for a worker: its number stays while its processes come and go. */
interface Slot {
  readonly number: number;
  process: Worker | undefined;
  startedAt: number;
  restartMs: number;
  cancelRestart: () => void;
}

interface Gathering {
  readonly asker: Worker;
  readonly askerId: number;
  readonly reports: MetricsReport[];
  missing: number;
  readonly cancel: () => void;
}

/**
 * Runs the service in several processes on one port. It serves nothing itself: it starts the workers,
 * replaces those that end, passes on signals, and carries their metrics from one to another.
 */
export class Workers {
  private readonly tools: PrimaryTools;
  private readonly slots: readonly Slot[];
  private readonly gatherings = new Map<number, Gathering>();
  private lastGathering = 0;
  private isStopping = false;
  /** There may be no worker for a while. */
  private readonly mayEnd = keepAlive();

  constructor(count: number, tools: PrimaryTools) {
    this.tools = tools;
    this.slots = Array.from({ length: count }, (_, i) => ({
      number: i + 1,
      process: undefined,
      startedAt: 0,
      restartMs: RESTART_MS_MIN,
      cancelRestart: () => undefined,
    }));
  }

  /** The first worker starts alone: it migrates the database and makes what all of them share. */
  async start(): Promise<void> {
    const [first, ...others] = this.slots as [Slot, ...Slot[]];
    try {
      await this.begin(first, true);
      await Promise.all(others.map((slot) => this.begin(slot, false)));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  private begin(slot: Slot, isFirst: boolean): Promise<void> {
    const worker = cluster.fork();
    slot.process = worker;
    slot.startedAt = this.tools.clock.now();
    let isReady = false;
    return new Promise((resolve, reject) => {
      worker.on("message", (message: FromWorker) => {
        if (message.kind === "started") {
          this.tell(worker, { kind: "begin", worker: slot.number, isFirst });
        } else if (message.kind === "ready") {
          isReady = true;
          this.tools.log.info({ worker: slot.number, pid: worker.process.pid }, "worker.ready");
          resolve();
        } else {
          this.pass(worker, message);
        }
      });
      worker.once("exit", (code, signal) => {
        slot.process = undefined;
        if (!isReady) reject(new StartupError("A worker could not start. It has said why above."));
        if (!this.isStopping)
          this.tools.log.error({ worker: slot.number, code, signal }, "worker.ended");
        if (isReady) this.restart(slot);
      });
    });
  }

  private restart(slot: Slot): void {
    if (this.isStopping) return;
    const { clock } = this.tools;
    if (clock.now() - slot.startedAt >= STEADY_MS) slot.restartMs = RESTART_MS_MIN;
    slot.cancelRestart = clock.after(slot.restartMs, () => {
      // One that fails at its start is tried again like one that ended later.
      this.begin(slot, false).catch(() => this.restart(slot));
    });
    slot.restartMs = Math.min(slot.restartMs * 2, RESTART_MS_MAX);
  }

  private tell(worker: Worker, message: ToWorker): void {
    if (worker.isConnected()) worker.send(message);
  }

  private get running(): Worker[] {
    return this.slots.flatMap(({ process: worker }) => worker ?? []);
  }

  /** A worker asks for the metrics of the others, or answers such a question. */
  private pass(from: Worker, message: Extract<FromWorker, { id: number }>): void {
    if (message.kind === "gather") {
      const others = this.running.filter((worker) => worker !== from);
      const id = ++this.lastGathering;
      const cancel = this.tools.clock.after(REPORT_MS_MAX, () => this.finish(id));
      const missing = others.length;
      this.gatherings.set(id, { asker: from, askerId: message.id, reports: [], missing, cancel });
      for (const worker of others) this.tell(worker, { kind: "report", id });
      if (missing === 0) this.finish(id);
      return;
    }
    const gathering = this.gatherings.get(message.id);
    if (gathering === undefined) return;
    gathering.reports.push(message.report);
    if (--gathering.missing === 0) this.finish(message.id);
  }

  private finish(id: number): void {
    const gathering = this.gatherings.get(id);
    if (gathering === undefined) return;
    this.gatherings.delete(id);
    gathering.cancel();
    const { asker, askerId, reports } = gathering;
    this.tell(asker, { kind: "reports", id: askerId, reports });
  }

  /** Every worker reads its certificates again. */
  reloadTls(): void {
    for (const worker of this.running) worker.process.kill("SIGHUP");
  }

  /** Workers finish the requests under way. One that takes too long is killed; what it left is recovered. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const slot of this.slots) slot.cancelRestart();
    const cancel = this.tools.clock.after(STOP_MS_MAX, () => {
      for (const worker of this.running) worker.process.kill("SIGKILL");
    });
    await Promise.all(
      this.running.map((worker) => {
        const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
        worker.process.kill("SIGTERM");
        return ended;
      }),
    );
    cancel();
    this.mayEnd();
  }
}
