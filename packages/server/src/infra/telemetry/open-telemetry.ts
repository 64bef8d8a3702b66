import type { Telemetry, TelemetrySettings, TelemetryTools } from "./telemetry.js";

/** The libraries are loaded only if something is to be sent. */
export async function openTelemetry(
  settings: TelemetrySettings | undefined,
  tools: TelemetryTools,
): Promise<Telemetry | undefined> {
  if (settings === undefined) return undefined;
  const { OtlpTelemetry } = await import("./otlp.js");
  return new OtlpTelemetry(settings, tools);
}
