import { type KeyboardEvent, useState } from "react";
import { ChartTable } from "./chart-table.js";
import { axisOf, markText, stepText } from "./scale.js";

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
}

/** Labels of the time axis, so that they do not overlap. On a phone, every second one is left out. */
const MARKS_MAX = 6;
/** How each key moves the bar that is read out. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -1e6,
  End: 1e6,
};

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function Legend({ title, series }: Pick<ChartProps, "title" | "series">) {
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
          {label}{" "}
          <strong className="font-semibold tabular-nums">{sum(values).toLocaleString()}</strong>
        </span>
      ))}
    </figcaption>
  );
}

function Bars({ steps, series, top, at }: ChartProps & { readonly top: number; at?: number }) {
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

/** The labels below the bars. The last step always has one. */
function Marks({ steps, by }: Pick<ChartProps, "steps" | "by">) {
  const every = Math.ceil(steps.length / MARKS_MAX);
  return steps.map((step, place) => {
    const back = steps.length - 1 - place;
    return (
      <span key={step} className="relative h-4 flex-1">
        {back % every === 0 && (
          <span
            className={`absolute left-1/2 -translate-x-1/2 whitespace-nowrap ${(back / every) % 2 === 1 ? "max-sm:hidden" : ""}`}
          >
            {markText(step, by)}
          </span>
        )}
      </span>
    );
  });
}

/** Counts over time, as a chart and as a table. The arrow keys and a pointer read out its bars. */
export function Chart(props: ChartProps) {
  const { title, steps, series, by } = props;
  const [at, setAt] = useState<number>();
  const highest = Math.max(
    ...steps.map((_, place) => sum(series.map((one) => one.values[place] ?? 0))),
  );
  const { top, ticks } = axisOf(highest);
  const step = at === undefined ? undefined : steps[at];
  function move(event: KeyboardEvent) {
    const by = MOVES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const from = at ?? (by > 0 ? -1 : steps.length);
    setAt(Math.min(steps.length - 1, Math.max(0, from + by)));
  }
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <Legend {...{ title, series }} />
      <div className="flex gap-2 text-xs text-soft tabular-nums">
        <div aria-hidden="true" className="relative h-48 w-8 shrink-0">
          {ticks.map((tick) => (
            <span
              key={tick}
              className="absolute right-0 translate-y-1/2"
              style={{ bottom: `${(tick / top) * 100}%` }}
            >
              {tick.toLocaleString()}
            </span>
          ))}
        </div>
        <div className="min-w-0 flex-1">
          {/* biome-ignore lint/a11y/useSemanticElements: no element is a chart that keys move through. */}
          <div
            role="group"
            aria-label={`${title}. Use the arrow keys to read each ${by}.`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys read out the bars.
            tabIndex={0}
            className="relative flex h-48 border-b border-line"
            onKeyDown={move}
            onPointerMove={({ target }) => {
              const { place } = (target as HTMLElement).dataset;
              if (place !== undefined) setAt(Number(place));
            }}
            onPointerLeave={() => setAt(undefined)}
            onBlur={() => setAt(undefined)}
          >
            {ticks.slice(1).map((tick) => (
              <div
                key={tick}
                className="pointer-events-none absolute inset-x-0 border-t border-line/60"
                style={{ bottom: `${(tick / top) * 100}%` }}
              />
            ))}
            <Bars {...props} top={top} {...(at === undefined ? {} : { at })} />
          </div>
          <div aria-hidden="true" className="flex pt-1">
            <Marks {...{ steps, by }} />
          </div>
        </div>
      </div>
      <p aria-live="polite" className="min-h-4 text-xs">
        {at !== undefined && step !== undefined && (
          <>
            <strong className="font-semibold">{stepText(step, by)}</strong>:{" "}
            {series.map(({ label, values }) => `${label} ${values[at] ?? 0}`).join(", ")}
          </>
        )}
      </p>
      <ChartTable {...props} />
    </figure>
  );
}
