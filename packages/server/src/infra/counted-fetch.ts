import { SafeFetch } from "@gatehouse/safe-fetch";
import type { Metrics } from "./metrics.js";

/** The client for other hosts; metrics count its running, waiting and refused requests. */
export function countedFetch(
  options: ConstructorParameters<typeof SafeFetch>[0],
  metrics: Metrics,
): SafeFetch {
  const refused = metrics.counter("gatehouse_fetches_refused_total");
  const safeFetch = new SafeFetch({ ...options, onBusy: (lane) => refused({ lane }) });
  metrics.gauge("gatehouse_fetches_under_way", () => safeFetch.load.underWay);
  metrics.gauge("gatehouse_fetches_waiting", () => safeFetch.load.waiting);
  return safeFetch;
}
