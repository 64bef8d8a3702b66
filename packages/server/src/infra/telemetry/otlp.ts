import type { IncomingHttpHeaders } from "node:http";
import {
  type Context,
  type DiagLogger,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { VERSION } from "../../version.js";
import type { Ids } from "../ids.js";
import type { Log } from "../log/log.js";
import { metricProducer } from "./metric-data.js";
import type {
  Attributes,
  RequestSpan,
  Telemetry,
  TelemetrySettings,
  TelemetryTools,
  TraceParent,
} from "./telemetry.js";

const NAME = "gatehouse";
/** An error of the service itself, and not of the caller. */
const SERVER_ERROR = 500;

function samplerOf({ sampler, ratio }: TelemetrySettings): Sampler {
  const own = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const name = sampler.replace("parentbased_", "") as keyof typeof own;
  const root = own[name]();
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

function resourceOf(ids: Ids, settings: TelemetrySettings): Resource {
  const own = { "service.name": NAME, "service.version": VERSION };
  const instance = { "service.instance.id": ids.id("process") };
  return resourceFromAttributes({ ...own, ...instance, ...settings.resource });
}

/** A collector that does not answer is a warning in our log, and nothing else. */
function diagnosticsTo(log: Log): DiagLogger {
  const warn = (message: string) => log.warn({ message }, "telemetry.not_sent");
  const nothing = () => {};
  return { error: warn, warn, info: nothing, debug: nothing, verbose: nothing };
}

/** Sends over OTLP/HTTP. There is one of it in a process. */
export class OtlpTelemetry implements Telemetry {
  private readonly contexts = new AsyncLocalStorageContextManager().enable();
  private readonly propagator = new W3CTraceContextPropagator();
  private readonly tracer: Tracer | undefined;
  private readonly providers: { shutdown(): Promise<void> }[] = [];

  constructor(settings: TelemetrySettings, { clock, ids, log, metrics }: TelemetryTools) {
    diag.setLogger(diagnosticsTo(log), {
      logLevel: DiagLogLevel.WARN,
      suppressOverrideMessage: true,
    });
    const { tracesUrl, metricsUrl, headers, metricsEveryMs } = settings;
    const resource = resourceOf(ids, settings);
    if (tracesUrl !== undefined) {
      const exporter = new OTLPTraceExporter({ url: tracesUrl, headers: { ...headers } });
      const spanProcessors = [new BatchSpanProcessor({ exporter })];
      const provider = new TracerProvider({
        resource,
        sampler: samplerOf(settings),
        spanProcessors,
      });
      this.tracer = provider.getTracer(NAME, VERSION);
      this.providers.push(provider);
    }
    if (metricsUrl !== undefined) {
      const reader = new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: metricsUrl, headers: { ...headers } }),
        exportIntervalMillis: metricsEveryMs,
        metricProducers: [metricProducer(metrics, resource, clock)],
      });
      this.providers.push(new MeterProvider({ resource, readers: [reader] }));
    }
  }

  private parentIn(carrier: IncomingHttpHeaders | TraceParent): Context {
    const getter = {
      get: (_: unknown, name: string) => {
        const value = (carrier as Readonly<Record<string, unknown>>)[name];
        return typeof value === "string" ? value : undefined;
      },
      keys: () => ["traceparent", "tracestate"],
    };
    return this.propagator.extract(ROOT_CONTEXT, carrier, getter);
  }

  request(method: string, headers: IncomingHttpHeaders): RequestSpan {
    const { tracer, contexts } = this;
    if (tracer === undefined) return UNTRACED;
    const parent = this.parentIn(headers);
    const attributes = { "http.request.method": method };
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    const inside = trace.setSpan(parent, span);
    return {
      run: (work) => contexts.with(inside, work),
      end: (route, status, more) => {
        span.updateName(`${method} ${route}`);
        span.setAttributes({ "http.route": route, "http.response.status_code": status, ...more });
        if (status >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  async span<T>(
    name: string,
    attributes: Attributes,
    work: () => Promise<T>,
    parent?: TraceParent,
  ): Promise<T> {
    const { tracer, contexts } = this;
    if (tracer === undefined) return work();
    const around = contexts.active();
    const outside = parent === undefined ? around : this.parentIn(parent);
    const named = trace.getSpanContext(outside) !== undefined;
    const links = linkTo(named && parent !== undefined ? trace.getSpan(around) : undefined);
    const above = named ? outside : around;
    const span = tracer.startSpan(name, { attributes, links }, above);
    try {
      return await contexts.with(trace.setSpan(above, span), work);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.providers.map((provider) => provider.shutdown()));
    this.contexts.disable();
  }
}

/** A span below somebody else's still names the request that brought it. */
const linkTo = (span: Span | undefined) =>
  span === undefined ? [] : [{ context: span.spanContext() }];

/** Where only metrics are sent. */
const UNTRACED: RequestSpan = Object.freeze({
  run: <T>(work: () => T) => work(),
  end: () => {},
});
