import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../clock.js";
import type { Ids } from "../ids.js";
import type { Log } from "../log/log.js";
import type { Metrics } from "../metrics.js";

export const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** What is sent to a collector of OpenTelemetry, by its standard variables. */
export interface TelemetrySettings {
  /** Where traces go; undefined if none are sent. */
  readonly tracesUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  /** Sent with every export, for example a token of the collector. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the operator says about this service. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** The share of traces that the ratio samplers keep, from 0 to 1. */
  readonly ratio: number;
  readonly metricsEveryMs: number;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The trace of one request, from its first byte to its answer. */
export interface RequestSpan {
  /** Runs work whose own spans belong to this one. */
  run<T>(work: () => T): T;
  end(route: string, status: number, attributes: Attributes): void;
}

/** A place in somebody else's trace (W3C Trace Context), as a caller sends it. */
export interface TraceParent {
  readonly traceparent?: unknown;
  readonly tracestate?: unknown;
}

/** Sends traces and metrics to a collector. Absent unless the operator has named one. */
export interface Telemetry {
  request(method: string, headers: IncomingHttpHeaders): RequestSpan;
  /** Work as a span of the request that it belongs to, or below a place that the caller names. */
  span<T>(
    name: string,
    attributes: Attributes,
    work: () => Promise<T>,
    parent?: TraceParent,
  ): Promise<T>;
  /** Sends what is left. */
  stop(): Promise<void>;
}

export interface TelemetryTools {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Work as a span, if there is anybody to send it to. */
export function traced<T>(
  telemetry: Telemetry | undefined,
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return telemetry === undefined ? work() : telemetry.span(name, attributes, work);
}
