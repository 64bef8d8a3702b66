import { useZone } from "../layout/zone.js";
import { markText } from "./scale.js";

export interface Series {
  readonly label: string;
  /** The name of a theme color. */
  readonly color: string;
  readonly values: readonly number[];
}

export interface ChartProps {
  readonly title: string;
  /** The starts of hours or days, in milliseconds, oldest first. */
  readonly steps: readonly number[];
  readonly series: readonly Series[];
  readonly by: "hour" | "day";
  /** The same steps of the time before, drawn as a quiet line. */
  readonly before?: { readonly label: string; readonly values: readonly number[] };
  /** How values are written. Absent: as counts. */
  readonly unit?: {
    /** A value in full. */
    readonly text: (value: number) => string;
    /** A value on the axis, as short as possible. */
    readonly mark: (value: number) => string;
  };
}

export const COUNTS = {
  text: (value: number) => value.toLocaleString(),
  mark: (value: number) => value.toLocaleString(),
};

/** Labels of the time axis, so that they do not overlap. On a phone, every second one is left out. */
const MARKS_MAX = 6;
export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The series by color, with their sums. */
export function Legend({
  title,
  series,
  before,
  unit = COUNTS,
}: Pick<ChartProps, "title" | "series" | "before" | "unit">) {
  return (
    <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      <span className="sr-only">{title}: </span>
      {series.map(({ label, color, values }) => (
        <span key={label} className="inline-flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className="inline-block size-2.5 rounded-sm"
            style={{ background: `var(--color-${color})` }}
          />
          {label} <strong className="font-semibold tabular-nums">{unit.text(sum(values))}</strong>
        </span>
      ))}
      {before !== undefined && (
        <span className="inline-flex items-center gap-1.5 text-soft">
          <span aria-hidden="true" className="w-4 border-t-2 border-dashed border-quiet" />
          {before.label}
        </span>
      )}
    </figcaption>
  );
}

/** The bars. What they do not hold is the pointer's. */
export function Bars({
  steps,
  series,
  top,
  at,
}: ChartProps & { readonly top: number; at?: number }) {
  return steps.map((step, place) => (
    <div
      key={step}
      data-place={place}
      className={`flex h-full min-w-0 flex-1 flex-col-reverse items-center ${place === at ? "bg-line/50" : ""}`}
    >
      {series.map(({ label, color, values }) => (
        <div
          key={label}
          className="pointer-events-none relative w-[84%] max-w-12"
          style={{
            height: `${((values[place] ?? 0) / top) * 100}%`,
            background: `var(--color-${color})`,
          }}
        />
      ))}
    </div>
  ));
}

/** The values of the time before, as a line through the middle of each step. */
export function Before({
  values,
  top,
}: {
  readonly values: readonly number[];
  readonly top: number;
}) {
  const points = values.map((value, place) => `${place + 0.5},${100 - (value / top) * 100}`);
  return (
    <svg
      aria-hidden="true"
      data-before
      viewBox={`0 0 ${values.length} 100`}
      preserveAspectRatio="none"
      className="pointer-events-none absolute inset-0 size-full"
    >
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke="var(--color-quiet)"
        strokeWidth="2"
        strokeDasharray="4 4"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** The labels below the bars. The last step always has one. */
export function Marks({ steps, by }: Pick<ChartProps, "steps" | "by">) {
  const zone = useZone();
  const every = Math.ceil(steps.length / MARKS_MAX);
  return steps.map((step, place) => {
    const back = steps.length - 1 - place;
    return (
      <span key={step} className="relative h-4 flex-1">
        {back % every === 0 && (
          <span
            className={`absolute left-1/2 -translate-x-1/2 whitespace-nowrap ${(back / every) % 2 === 1 ? "max-sm:hidden" : ""}`}
          >
            {markText(step, by, zone)}
          </span>
        )}
      </span>
    );
  });
}
