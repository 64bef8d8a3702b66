import { useId, useState } from "react";
import { OWN_ZONE } from "../layout/zone.js";
import { Picker } from "./picker.js";

/** Zones that are shown at once. Typing finds the others. */
const SHOWN_MAX = 40;

const ZONES: readonly string[] = [
  ...new Set([OWN_ZONE, ...Intl.supportedValuesOf("timeZone"), "UTC"]),
];

/** The name of a zone: “America/New York”. */
export const zoneText = (zone: string) => zone.replaceAll("_", " ");

function offsetText(timeZone: string): string {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "shortOffset" });
  return format.formatToParts().find(({ type }) => type === "timeZoneName")?.value ?? "";
}

interface Props {
  readonly label: string;
  readonly hint?: string;
  /** Empty: none is chosen. */
  readonly value: string;
  readonly disabled?: boolean;
  onChoose(zone: string): void;
}

/** A time zone to choose from a list that can be searched. */
export function TimeZoneField({ label, hint, value, disabled, onChoose }: Props) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [words, setWords] = useState("");
  const wanted = zoneText(words.trim()).toLowerCase();
  const matching = open
    ? ZONES.filter((zone) => zoneText(zone).toLowerCase().includes(wanted))
    : [];
  const options = matching.slice(0, SHOWN_MAX).map((zone) => ({
    key: zone,
    label: zoneText(zone),
    note: offsetText(zone),
    onChoose: () => onChoose(zone),
  }));
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      <span id={`${id}-label`} className="font-medium">
        {label}
      </span>
      <button
        id={id}
        type="button"
        aria-haspopup="dialog"
        aria-labelledby={`${id}-label ${id}`}
        aria-describedby={hint && `${id}-hint`}
        disabled={disabled}
        className="w-full truncate rounded-lg border border-line bg-card px-3 py-1.5 text-left disabled:opacity-60"
        onClick={() => {
          setWords("");
          setOpen(true);
        }}
      >
        {value === "" ? "Choose…" : zoneText(value)}
      </button>
      {hint !== undefined && (
        <span id={`${id}-hint`} className="text-xs text-soft">
          {hint}
        </span>
      )}
      <Picker
        open={open}
        title={label}
        placeholder="Search for a city or region"
        words={words}
        groups={[{ title: "Time zones", options }]}
        empty="No time zone has this name. Try the nearest large city."
        onWords={setWords}
        onClose={() => setOpen(false)}
      />
    </div>
  );
}
