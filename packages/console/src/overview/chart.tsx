import { type KeyboardEvent, useState } from "react";
import { useZone } from "../layout/zone.js";
import { Bars, Before, type ChartProps, COUNTS, Legend, Marks, sum } from "./chart-parts.js";
import { ChartTable } from "./chart-table.js";
import { axisOf, stepText } from "./scale.js";

/** How each key moves the bar that is read out. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -1e6,
  End: 1e6,
};

/** Counts over time, as a chart and as a table. The arrow keys and a pointer read out its bars. */
export function Chart(props: ChartProps) {
  const { title, steps, series, by, before, unit = COUNTS } = props;
  const zone = useZone();
  const [at, setAt] = useState<number>();
  const highest = Math.max(
    ...steps.map((_, place) => sum(series.map((one) => one.values[place] ?? 0))),
    ...(before?.values ?? []),
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
      <Legend {...props} />
      <div className="flex gap-2 text-xs text-soft tabular-nums">
        <div
          aria-hidden="true"
          className={`relative h-48 shrink-0 ${props.unit === undefined ? "w-8" : "w-12"}`}
        >
          {ticks.map((tick) => (
            <span
              key={tick}
              className="absolute right-0 translate-y-1/2"
              style={{ bottom: `${(tick / top) * 100}%` }}
            >
              {unit.mark(tick)}
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
            {before !== undefined && <Before values={before.values} top={top} />}
          </div>
          <div aria-hidden="true" className="flex pt-1">
            <Marks steps={steps} by={by} />
          </div>
        </div>
      </div>
      <p aria-live="polite" className="min-h-4 text-xs">
        {at !== undefined && step !== undefined && (
          <>
            <strong className="font-semibold">{stepText(step, by, zone)}</strong>:{" "}
            {[...series, ...(before === undefined ? [] : [before])]
              .map(({ label, values }) => `${label} ${unit.text(values[at] ?? 0)}`)
              .join(", ")}
          </>
        )}
      </p>
      <ChartTable {...props} />
    </figure>
  );
}
