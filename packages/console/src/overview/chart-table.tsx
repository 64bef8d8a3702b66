import { useZone } from "../layout/zone.js";
import type { ChartProps } from "./chart-parts.js";
import { stepText } from "./scale.js";

/** The numbers of a chart, and the time zone of its days. */
export function ChartTable({ steps, series, by, before, unit }: ChartProps) {
  const zone = useZone();
  const columns = before === undefined ? series : [...series, before];
  return (
    <details className="text-xs">
      <summary className="text-soft">
        Show as a table <span className="ml-2">Time zone: {zone}</span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it */}
      <div tabIndex={0} className="mt-2 max-h-60 overflow-auto">
        <table className="w-full text-left tabular-nums">
          <thead>
            <tr>
              <th scope="col">{by === "day" ? "Day" : "Hour"}</th>
              {columns.map(({ label }) => (
                <th key={label} scope="col" className="text-right">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.map((step, row) => (
              <tr key={step}>
                <th scope="row" className="font-normal">
                  {stepText(step, by, zone)}
                </th>
                {columns.map(({ label, values }) => (
                  <td key={label} className="text-right">
                    {unit?.text(values[row] ?? 0) ?? values[row]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
