import type { MetricsReport } from "../metrics.js";

/** What the process that started the workers tells one of them. */
export type ToWorker =
  /** Start the service as the worker of this number. `isFirst`: tell people where it listens. */
  | { readonly kind: "begin"; readonly worker: number; readonly isFirst: boolean }
  | { readonly kind: "report"; readonly id: number }
  | { readonly kind: "reports"; readonly id: number; readonly reports: readonly MetricsReport[] };

/** What a worker tells the process that started it. */
export type FromWorker =
  /** It listens to messages now. */
  | { readonly kind: "started" }
  | { readonly kind: "ready" }
  | { readonly kind: "gather"; readonly id: number }
  | { readonly kind: "report"; readonly id: number; readonly report: MetricsReport };
