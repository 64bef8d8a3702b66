import { type LabelsOf, METRICS, type MetricName } from "./metric-list.js";
import {
  addedUp,
  DURATION_BUCKETS_S,
  type Durations,
  labelText,
  type MetricsReport,
} from "./metrics-report.js";

/** Series of one metric. Labels come from fixed sets, so more would be a bug. */
const SERIES_MAX = 1000;

interface Series {
  value: number;
}

interface Family {
  readonly series: Map<string, Series>;
  /** Durations by their labels; only of a histogram. */
  readonly durations: Map<string, Durations>;
}

function durationLines(name: string, { labels, counts, sum }: Durations): string {
  let text = "";
  let upTo = 0;
  for (const [i, le] of [...DURATION_BUCKETS_S, "+Inf"].entries()) {
    upTo += counts[i] as number;
    text += `${name}_bucket${labelText({ ...labels, le: String(le) })} ${upTo}\n`;
  }
  const own = labelText(labels);
  return `${text}${name}_sum${own} ${sum}\n${name}_count${own} ${upTo}\n`;
}

/** Counters, gauges and durations in the Prometheus text format (version 0.0.4). */
export class Metrics {
  private readonly families = new Map<keyof typeof METRICS, Family>();
  private readonly gauges: (() => void)[] = [];

  private family(name: keyof typeof METRICS): Family {
    let family = this.families.get(name);
    if (family === undefined) {
      family = { series: new Map(), durations: new Map() };
      this.families.set(name, family);
    }
    return family;
  }

  /** A series by its text; one too many is not kept. */
  private find({ series }: Family, text: string): Series {
    let entry = series.get(text);
    if (entry === undefined) {
      entry = { value: 0 };
      if (series.size < SERIES_MAX) series.set(text, entry);
    }
    return entry;
  }

  counter<N extends MetricName<"counter">>(
    name: N,
  ): (labels: LabelsOf<N>, amount?: number) => void {
    const family = this.family(name);
    return (labels, amount = 1) => {
      this.find(family, name + labelText(labels)).value += amount;
    };
  }

  /** One series of a counter, for places where making its labels each time would be too slow. */
  series<N extends MetricName<"counter">>(name: N, labels: LabelsOf<N>): () => void {
    const family = this.family(name);
    const text = name + labelText(labels);
    let series: Series | undefined;
    return () => {
      series ??= this.find(family, text);
      series.value++;
    };
  }

  /** A gauge is read only when the metrics are read. */
  gauge(name: MetricName<"gauge">, read: () => number): void {
    const family = this.family(name);
    this.gauges.push(() => family.series.set(name, { value: read() }));
  }

  duration<N extends MetricName<"histogram">>(
    name: N,
  ): (labels: LabelsOf<N>, seconds: number) => void {
    return (labels, seconds) => this.durationSeries(name, labels)(seconds);
  }

  /** One series of durations, for places where making its labels each time would be too slow. */
  durationSeries<N extends MetricName<"histogram">>(
    name: N,
    labels: LabelsOf<N>,
  ): (seconds: number) => void {
    const { durations } = this.family(name);
    const key = labelText(labels);
    let histogram = durations.get(key);
    if (histogram === undefined) {
      const counts = Array<number>(DURATION_BUCKETS_S.length + 1).fill(0);
      histogram = { labels, counts, sum: 0 };
      if (durations.size < SERIES_MAX) durations.set(key, histogram);
    }
    const { counts } = histogram;
    const kept = histogram;
    return (seconds) => {
      let bucket = 0;
      while (
        bucket < DURATION_BUCKETS_S.length &&
        seconds > (DURATION_BUCKETS_S[bucket] as number)
      ) {
        bucket++;
      }
      counts[bucket] = (counts[bucket] as number) + 1;
      kept.sum += seconds;
    };
  }

  /** All values, as another process can read them. */
  report(): MetricsReport {
    for (const read of this.gauges) read();
    return [...this.families].map(([name, { series, durations }]) => ({
      name,
      series: [...series].map(([text, { value }]) => [text, value]),
      durations: [...durations.values()],
    }));
  }

  /** The text, with the values of other workers in it. */
  render(others: readonly MetricsReport[] = []): string {
    let text = "";
    for (const { name, series, durations } of addedUp([this.report(), ...others])) {
      const { help, type } = METRICS[name];
      text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
      for (const [key, value] of series) text += `${key} ${value}\n`;
      for (const one of durations) text += durationLines(name, one);
    }
    return text;
  }
}
