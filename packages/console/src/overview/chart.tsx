import { useEffect, useRef } from "react";
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface Series {
  readonly label: string;
  /** The name of a theme color. */
  readonly color: string;
  readonly values: readonly number[];
}

interface ChartProps {
  readonly title: string;
  /** The starts of hours or days, in milliseconds, oldest first. */
  readonly steps: readonly number[];
  readonly series: readonly Series[];
  readonly by: "hour" | "day";
}

const HEIGHT_PX = 200;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** The room for one label of the time axis. */
const MARK_PX = 64;
const COUNTS = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));

const FORMS = {
  hour: { hour: "numeric", minute: "2-digit" },
  day: { month: "short", day: "numeric" },
} as const;

/** The label of an hour or a day, in the reader's time zone. */
const markText = (ms: number, by: ChartProps["by"]) =>
  new Date(ms).toLocaleString(undefined, FORMS[by]);

const zoneName = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The steps that get a label, so that labels do not overlap. */
function markedSteps(steps: readonly number[], width: number): number[] {
  const every = Math.max(1, Math.ceil((steps.length * MARK_PX) / Math.max(width, MARK_PX)));
  return steps.filter((_, place) => (steps.length - 1 - place) % every === 0);
}

const colorOf = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--color-${name}`).trim();

/** Each series on top of those before it, tallest first. */
function stacked(series: readonly Series[]): number[][] {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, place) => value + (below?.[place] ?? 0)));
  }
  return sums.reverse();
}

function optionsFor(
  { steps, series, by }: ChartProps,
  width: number,
  bars: uPlot.Series.PathBuilder,
): uPlot.Options {
  const stepS = by === "day" ? DAY_S : HOUR_S;
  const axis = { stroke: colorOf("soft"), grid: { stroke: colorOf("line"), width: 1 } };
  const drawn = series.toReversed().map(({ label, color }) => {
    const fill = colorOf(color);
    return { label, fill, stroke: fill, width: 0, paths: bars, points: { show: false } };
  });
  return {
    width,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // Half a step on both sides, so that the first and the last bar are complete.
      x: { range: (_plot, min, max) => [min - stepS / 2, max + stepS / 2] },
      y: { range: (_plot, _min, max) => [0, Math.max(max, 4)] },
    },
    axes: [
      {
        ...axis,
        splits: () => markedSteps(steps, width).map((ms) => ms / 1000),
        values: (_plot, marks) => marks.map((seconds) => markText(seconds * 1000, by)),
      },
      { ...axis, size: 44, incrs: COUNTS },
    ],
    series: [{}, ...drawn],
  };
}

/** Draws the chart, and again when its width or the colors change. */
async function draw(place: HTMLElement, props: ChartProps): Promise<() => void> {
  const { default: Plot } = await import("uplot");
  const bars = Plot.paths.bars?.({ size: [0.7, 60] });
  if (bars === undefined) return () => {};
  const seconds = props.steps.map((step) => step / 1000);
  let plot: uPlot | undefined;
  const redraw = () => {
    plot?.destroy();
    const data = [seconds, ...stacked(props.series)] as uPlot.AlignedData;
    plot = new Plot(optionsFor(props, place.clientWidth, bars), data, place);
  };
  const resized = new ResizeObserver(redraw);
  resized.observe(place);
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redraw);
  return () => {
    resized.disconnect();
    scheme.removeEventListener("change", redraw);
    plot?.destroy();
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Counts over time, as a chart and as a table. */
export function Chart(props: ChartProps) {
  const { title, steps, series, by } = props;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    let end = () => {};
    let over = false;
    void draw(current, props).then((stop) => {
      end = stop;
      if (over) stop();
    });
    return () => {
      over = true;
      end();
    };
  });
  const stepText = (step: number) =>
    by === "day" ? markText(step, "day") : `${markText(step, "day")}, ${markText(step, "hour")}`;
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <span className="sr-only">{title}: </span>
        {series.map(({ label, color, values }) => (
          <span key={label} className="inline-flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className="inline-block size-2.5 rounded-sm"
              style={{ background: `var(--color-${color})` }}
            />
            {label} <strong className="font-semibold">{sum(values).toLocaleString()}</strong>
          </span>
        ))}
      </figcaption>
      <div ref={place} aria-hidden="true" className="min-h-[200px] min-w-0 overflow-hidden" />
      <p className="text-xs text-soft">Time zone: {zoneName()}</p>
      <details className="text-xs">
        <summary className="text-soft">Show as a table</summary>
        <div className="mt-2 max-h-60 overflow-auto">
          <table className="w-full text-left">
            <thead>
              <tr>
                <th scope="col">{by === "day" ? "Day" : "Hour"}</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {steps.map((step, row) => (
                <tr key={step}>
                  <th scope="row" className="font-normal">
                    {stepText(step)}
                  </th>
                  {series.map(({ label, values }) => (
                    <td key={label}>{values[row]}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
