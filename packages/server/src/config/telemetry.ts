import {
  SAMPLERS,
  type SamplerName,
  type TelemetrySettings,
} from "../infra/telemetry/telemetry.js";
import { MINUTE_MS } from "../infra/time.js";
import { StartupError } from "../startup-error.js";

type Variables = Readonly<Record<string, string | undefined>>;

const METRICS_EVERY_MS = MINUTE_MS;
/** Where a collector listens by default. */
const USUAL_ENDPOINT = "http://localhost:4318";

function faulty(name: string, value: string, wanted: string): StartupError {
  return new StartupError(`${name}=${value} is not valid. It must be ${wanted}.`, {
    setting: name,
  });
}

function addressIn(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw faulty(name, text, "an address that begins with http:// or https://");
}

/** Where a signal goes; undefined if it is not sent. */
function urlOf(signal: "traces" | "metrics", env: Variables): string | undefined {
  const part = signal.toUpperCase();
  const [exporterName, ownName] = [`OTEL_${part}_EXPORTER`, `OTEL_EXPORTER_OTLP_${part}_ENDPOINT`];
  const exporter = env[exporterName];
  if (exporter === "none") return undefined;
  if (exporter !== undefined && exporter !== "otlp") {
    throw faulty(exporterName, exporter, "otlp or none");
  }
  const own = env[ownName];
  if (own !== undefined) return addressIn(ownName, own);
  const shared = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (shared === undefined && exporter === undefined) return undefined;
  const base = addressIn("OTEL_EXPORTER_OTLP_ENDPOINT", shared ?? USUAL_ENDPOINT);
  return `${base.replace(/\/$/, "")}/v1/${signal}`;
}

/** `one=a,other=b`, with escapes as in addresses (W3C Baggage). */
function pairsIn(name: string, text = ""): Readonly<Record<string, string>> {
  const pairs = text.split(",").filter((part) => part.trim() !== "");
  const entries = pairs.map((pair) => {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    try {
      if (key !== undefined) return [key, decodeURIComponent(value ?? "")];
    } catch {}
    // Headers may hold a secret, so the value is not repeated.
    throw faulty(name, "…", "a list such as one=a,other=b");
  });
  return Object.freeze(Object.fromEntries(entries));
}

function samplerOf({
  OTEL_TRACES_SAMPLER: text = "parentbased_always_on",
}: Variables): SamplerName {
  const sampler = SAMPLERS.find((name) => name === text);
  if (sampler === undefined) throw faulty("OTEL_TRACES_SAMPLER", text, SAMPLERS.join(", "));
  return sampler;
}

function ratioOf({ OTEL_TRACES_SAMPLER_ARG: text = "1" }: Variables): number {
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw faulty("OTEL_TRACES_SAMPLER_ARG", text, "a number from 0 to 1");
}

function intervalOf(env: Variables): number {
  const { OTEL_METRIC_EXPORT_INTERVAL: text = String(METRICS_EVERY_MS) } = env;
  if (/^[1-9]\d{2,7}$/.test(text)) return Number(text);
  throw faulty("OTEL_METRIC_EXPORT_INTERVAL", text, "a number of milliseconds, at least 100");
}

function resourceOf({ OTEL_RESOURCE_ATTRIBUTES: text, OTEL_SERVICE_NAME: name }: Variables) {
  const attributes = pairsIn("OTEL_RESOURCE_ATTRIBUTES", text);
  return name === undefined ? attributes : { ...attributes, "service.name": name };
}

/** Undefined unless a variable names a collector. Nothing is sent by default. */
export function readTelemetry(given: Variables): TelemetrySettings | undefined {
  const set = Object.entries(given).flatMap(([name, value]) =>
    name.startsWith("OTEL_") && value?.trim() ? [[name, value.trim()] as const] : [],
  );
  const env: Variables = Object.fromEntries(set);
  if (env.OTEL_SDK_DISABLED === "true") return undefined;
  const [tracesUrl, metricsUrl] = [urlOf("traces", env), urlOf("metrics", env)];
  if (tracesUrl === undefined && metricsUrl === undefined) return undefined;
  return Object.freeze({
    tracesUrl,
    metricsUrl,
    headers: pairsIn("OTEL_EXPORTER_OTLP_HEADERS", env.OTEL_EXPORTER_OTLP_HEADERS),
    resource: resourceOf(env),
    sampler: samplerOf(env),
    ratio: ratioOf(env),
    metricsEveryMs: intervalOf(env),
  });
}
