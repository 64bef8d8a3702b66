import cluster, { type Worker } from "node:cluster";
import { StartupError } from "../../startup-error.js";
import { type Clock, keepAlive } from "../clock.js";
import type { Log } from "../log/log.js";
import { MINUTE_MS, SECOND_MS } from "../time.js";
import { type FromWorker, ReportExchange, type ToWorker } from "./report-exchange.js";

/** A worker that ended is started again after this; each time it ends soon, after twice as long. */
const RESTART_MS_MIN = SECOND_MS;
const RESTART_MS_MAX = 30 * SECOND_MS;
/** A worker that ran for this long did not end because of its start. */
const STEADY_MS = MINUTE_MS;
/** How long a stopping worker may take: longer than the requests under way may. */
const STOP_MS_MAX = 20 * SECOND_MS;

interface PrimaryTools {
  readonly clock: Clock;
  readonly log: Log;
}

/** One place for a worker: its number stays while its processes come and go. */
interface Slot {
  readonly number: number;
  process: Worker | undefined;
  isReady: boolean;
  startedAt: number;
  restartMs: number;
  cancelRestart: () => void;
}

/**
 * Runs the service in several processes on one port. It serves nothing itself: it starts the workers,
 * replaces those that end, passes on signals, and carries their metrics from one to another.
 */
export class Workers {
  private readonly tools: PrimaryTools;
  private readonly slots: readonly Slot[];
  private readonly reports: ReportExchange;
  /** The port of the first worker; undefined until it listens. */
  private port: number | undefined;
  private isStopping = false;
  /** There may be no worker for a while. */
  private readonly mayEnd = keepAlive();

  constructor(count: number, tools: PrimaryTools) {
    this.tools = tools;
    this.slots = Array.from({ length: count }, (_, i) => ({
      number: i + 1,
      process: undefined,
      isReady: false,
      startedAt: 0,
      restartMs: RESTART_MS_MIN,
      cancelRestart: () => undefined,
    }));
    const tell = (worker: number, message: ToWorker) => this.tell(worker, message);
    this.reports = new ReportExchange(tools.clock, tell);
  }

  /** The first worker starts alone: it migrates the database and makes what all of them share. */
  async start(): Promise<void> {
    const [first, ...others] = this.slots as [Slot, ...Slot[]];
    try {
      await this.begin(first);
      await Promise.all(others.map((slot) => this.begin(slot)));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Resolves when the worker is ready, and rejects if it ends before. */
  private async begin(slot: Slot): Promise<void> {
    const worker = cluster.fork();
    const { log, clock } = this.tools;
    slot.process = worker;
    slot.startedAt = clock.now();
    // A message to a worker that is just ending fails. Its end is what counts.
    worker.on("error", (error) => log.warn({ worker: slot.number, error }, "worker.not_reached"));
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (message: FromWorker) => {
        if (message.kind === "ready") resolve();
        this.hear(slot, message);
      });
      worker.once("exit", (code, signal) => {
        const wasReady = slot.isReady;
        slot.process = undefined;
        slot.isReady = false;
        this.reports.ended(slot.number);
        if (!this.isStopping) log.error({ worker: slot.number, code, signal }, "worker.ended");
        if (wasReady) this.restart(slot);
        reject(new StartupError("A worker could not start. Its error message is above."));
      });
    });
  }

  private hear(slot: Slot, message: FromWorker): void {
    switch (message.kind) {
      case "started":
        this.tell(slot.number, { kind: "begin", worker: slot.number, port: this.port });
        break;
      case "ready":
        slot.isReady = true;
        this.port ??= message.port;
        this.tools.log.info(
          { worker: slot.number, pid: slot.process?.process.pid },
          "worker.ready",
        );
        break;
      case "gather":
        this.reports.gather(slot.number, message, this.ready);
        break;
      case "report":
        this.reports.take(slot.number, message);
    }
  }

  private restart(slot: Slot): void {
    if (this.isStopping) return;
    const { clock } = this.tools;
    if (clock.now() - slot.startedAt >= STEADY_MS) slot.restartMs = RESTART_MS_MIN;
    slot.cancelRestart = clock.after(slot.restartMs, () => {
      // One that fails at its start is tried again like one that ended later.
      this.begin(slot).catch(() => this.restart(slot));
    });
    slot.restartMs = Math.min(slot.restartMs * 2, RESTART_MS_MAX);
  }

  private tell(number: number, message: ToWorker): void {
    const worker = this.slots[number - 1]?.process;
    if (worker?.isConnected() === true) worker.send(message);
  }

  /** The numbers of the workers that serve. */
  private get ready(): readonly number[] {
    return this.slots.flatMap(({ isReady, number }) => (isReady ? number : []));
  }

  private signal(name: NodeJS.Signals, slots: readonly Slot[] = this.slots): void {
    for (const { process: worker } of slots) worker?.process.kill(name);
  }

  /** Every worker reads its certificates again. One that is starting reads them anyway. */
  reloadTls(): void {
    const serving = this.slots.filter(({ isReady }) => isReady);
    this.signal("SIGHUP", serving);
  }

  /** Workers finish the requests under way. One that takes too long is killed; what it left is recovered. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const slot of this.slots) slot.cancelRestart();
    const cancel = this.tools.clock.after(STOP_MS_MAX, () => this.signal("SIGKILL"));
    const ended = this.slots.flatMap(({ process: worker }) =>
      worker === undefined
        ? []
        : new Promise<void>((resolve) => worker.once("exit", () => resolve())),
    );
    this.signal("SIGTERM");
    await Promise.all(ended);
    cancel();
    this.mayEnd();
  }
}
