import type { Clock } from "../clock.js";
import type { Metrics } from "../metrics.js";
import type { MetricsReport } from "../metrics-report.js";
import type { FromWorker, ToWorker } from "./report-exchange.js";

/** The other workers of this machine, as one of them sees them. */
export interface Peers {
  /** The number of this worker, from 1. */
  readonly worker: number;
  /** Where others listen already; undefined if this is the first. */
  readonly port: number | undefined;
  /** Answers the others' questions about this worker's metrics. */
  share(metrics: Metrics): void;
  /** The metrics of the others; without those that do not answer in time. */
  gather(metrics: Metrics): Promise<readonly MetricsReport[]>;
}

/** A service that runs in one process has none. */
export const NO_PEERS: Peers = {
  worker: 1,
  port: undefined,
  share: () => undefined,
  gather: async () => [],
};

/** Longer than the primary waits for all reports. */
const GATHER_MS_MAX = 2000;

/** The channel of a forked process. */
export type Channel = Pick<NodeJS.Process, "on" | "off" | "send">;

const tell = (channel: Channel, message: FromWorker) => channel.send?.(message);

type Begin = Extract<ToWorker, { kind: "begin" }>;

/** Waits for the message that says which worker this is. */
export function whenToldToBegin(channel: Channel): Promise<Begin> {
  return new Promise((resolve) => {
    const listen = (received: unknown) => {
      const message = received as ToWorker;
      if (message.kind !== "begin") return;
      channel.off("message", listen);
      resolve(message);
    };
    channel.on("message", listen);
    tell(channel, { kind: "started" });
  });
}

export function tellReady(channel: Channel, port: number): void {
  tell(channel, { kind: "ready", port });
}

/** Reaches the other workers through the process that started them all. */
export function peersThrough(channel: Channel, { worker, port }: Begin, clock: Clock): Peers {
  const waiting = new Map<number, (reports: readonly MetricsReport[]) => void>();
  let lastId = 0;
  return {
    worker,
    port,
    share(metrics) {
      channel.on("message", (received) => {
        const message = received as ToWorker;
        if (message.kind === "report") {
          tell(channel, { kind: "report", id: message.id, report: metrics.report() });
        } else if (message.kind === "reports") {
          waiting.get(message.id)?.(message.reports);
        }
      });
    },
    gather(metrics) {
      const id = ++lastId;
      return new Promise((resolve) => {
        const finish = (reports: readonly MetricsReport[]) => {
          waiting.delete(id);
          cancel();
          resolve(reports);
        };
        const cancel = clock.after(GATHER_MS_MAX, () => finish([]));
        waiting.set(id, finish);
        tell(channel, { kind: "gather", id, report: metrics.report() });
      });
    },
  };
}
