import type { RequestListener } from "node:http";
import type { Config } from "../../config/config.js";
import type { Metrics } from "../../infra/metrics.js";
import { callerOf } from "./admission/caller.js";
import { answerHttpsRequired } from "./raw-answers.js";

interface Tools {
  readonly config: Pick<Config, "mode" | "tls">;
  readonly metrics: Metrics;
}

/** Nothing is served over plain HTTP, except in development, where it listens on loopback only. */
export function httpsOnly({ config, metrics }: Tools, served: RequestListener): RequestListener {
  if (config.mode === "development" && config.tls === undefined) return served;
  const count = metrics.counter("gatehouse_plaintext_refused_total");
  return (request, response) => {
    if (callerOf(request).secure) return served(request, response);
    count({});
    answerHttpsRequired(request, response);
  };
}
