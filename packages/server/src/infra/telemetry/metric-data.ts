import { type HrTime, ValueType } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { Clock } from "../clock.js";
import { METRICS } from "../metric-list.js";
import type { Metrics } from "../metrics.js";
import {
  DURATION_BUCKETS_S,
  type Durations,
  labelsIn,
  type MetricsReport,
} from "../metrics-report.js";

type Family = MetricsReport[number];

const MS_IN_S = 1000;
const NS_IN_MS = 1_000_000;
const timeOf = (ms: number): HrTime => [Math.floor(ms / MS_IN_S), (ms % MS_IN_S) * NS_IN_MS];

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function histogram({ labels, counts, sum }: Durations, times: Times) {
  const count = counts.reduce((total, one) => total + one, 0);
  const buckets = { boundaries: [...DURATION_BUCKETS_S], counts: [...counts] };
  return { ...times, attributes: labels, value: { buckets, sum, count } };
}

/** One of our metrics as OpenTelemetry has it. */
function metricData({ name, series, durations }: Family, times: Times): MetricData {
  const { help, type } = METRICS[name];
  const descriptor = { name, description: help, unit: "", valueType: ValueType.DOUBLE };
  const base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === "histogram") {
    const dataPoints = durations.map((one) => histogram(one, times));
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = series.map(([text, value]) => ({
    ...times,
    attributes: labelsIn(text),
    value,
  }));
  if (type === "gauge") return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
  return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

/** The metrics of this process, read when they are sent. */
export function metricProducer(metrics: Metrics, resource: Resource, clock: Clock): MetricProducer {
  const startTime = timeOf(clock.now());
  return {
    async collect() {
      const times = { startTime, endTime: timeOf(clock.now()) };
      const all = metrics.report().map((family) => metricData(family, times));
      const scopeMetrics = [{ scope: { name: "gatehouse" }, metrics: all }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}
