import { METRICS, type Metric } from "./metric-list.js";

export type Labels = Readonly<Record<string, string>>;

export function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, "_")}"`,
  );
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

/** The labels in the text of a series: `name{one="a",other="b"}`. */
export function labelsIn(text: string): Labels {
  const pairs = [...text.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  return Object.fromEntries(pairs);
}

/** The upper bounds of the buckets of durations, in seconds. */
export const DURATION_BUCKETS_S: readonly number[] = Object.freeze([
  0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]);

/** The number of durations between two bounds. They are added up when the metrics are read. */
export interface Durations {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
}

/** The metrics of one process, as another can read them. */
export type MetricsReport = readonly {
  readonly name: keyof typeof METRICS;
  readonly series: readonly (readonly [text: string, value: number])[];
  readonly durations: readonly Durations[];
}[];

/** What stays true of a process that has ended: what it has counted. */
export function countersOf(report: MetricsReport): MetricsReport {
  return report.filter(({ name }) => METRICS[name].type !== "gauge");
}

/** The values of several processes as those of one. The first is the process that was asked. */
export function addedUp(reports: readonly MetricsReport[]): MetricsReport {
  const names = new Set(reports.flatMap((report) => report.map(({ name }) => name)));
  return [...names].map((name) => {
    const all = reports.flatMap((report) => report.filter((one) => one.name === name));
    const series = new Map<string, number>();
    const durations = new Map<string, Durations>();
    for (const one of all) {
      for (const [text, value] of one.series) {
        series.set(text, combine(METRICS[name], series.get(text), value));
      }
      for (const each of one.durations) {
        const key = labelText(each.labels);
        durations.set(key, together(durations.get(key), each));
      }
    }
    return { name, series: [...series], durations: [...durations.values()] };
  });
}

function combine({ combined }: Metric, known: number | undefined, value: number): number {
  if (known === undefined) return value;
  if (combined === "own") return known;
  if (combined === "least") return Math.min(known, value);
  return combined === "most" ? Math.max(known, value) : known + value;
}

function together(known: Durations | undefined, { labels, counts, sum }: Durations): Durations {
  if (known === undefined) return { labels, counts: [...counts], sum };
  const added = counts.map((count, i) => count + (known.counts[i] ?? 0));
  return { labels, counts: added, sum: known.sum + sum };
}
