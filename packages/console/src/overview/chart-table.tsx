import { OWN_ZONE } from "../layout/zone.js";
import type { ChartProps } from "./chart.js";
import { stepText } from "./scale.js";

/** The numbers of a chart, and the time zone of its days. */
export function ChartTable({ steps, series, by }: ChartProps) {
  return (
    <details className="text-xs">
      <summary className="text-soft">
        Show as a table <span className="ml-2">Time zone: {OWN_ZONE}</span>
      </summary>
      <div className="mt-2 max-h-60 overflow-auto">
        <table className="w-full text-left tabular-nums">
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
                  {stepText(step, by)}
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
  );
}
