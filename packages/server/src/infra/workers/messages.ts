import type { MetricsReport } from "../metrics-report.js";

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
