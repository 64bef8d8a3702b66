import { useNavigate } from "@tanstack/react-router";
import { useZone } from "../layout/zone.js";
import { DayRange } from "../ui/day-range.js";
import { Select } from "../ui/field.js";
import { Notice } from "../ui/notice.js";
import { DAYS_MAX, lastWeek, RANGES, type Range, type RangeName, spanOf } from "./ranges.js";

/** Chooses the time that the numbers of Home are of. */
export function ChooseRange({ range }: { readonly range: Range }) {
  const navigate = useNavigate({ from: "/$site" });
  const zone = useZone();
  const now = Date.now();
  function choose(name: string) {
    const days = name === "days" ? lastWeek(zone, now) : { from: undefined, to: undefined };
    void navigate({ search: (before) => ({ ...before, range: name as RangeName, ...days }) });
  }
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Select label="Time range" value={range.range} choices={RANGES} onChoose={choose} />
      {range.range === "days" && (
        <DayRange
          from={range.from}
          to={range.to}
          onSet={(part, day) =>
            void navigate({ search: (before) => ({ ...before, [part]: day || undefined }) })
          }
        />
      )}
      {spanOf(range, zone, now) === undefined && (
        <Notice>Choose a first and a last day, at most {DAYS_MAX} days.</Notice>
      )}
    </div>
  );
}
