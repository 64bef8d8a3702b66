import { Time } from "./time.js";

/** Code between backticks, or a time such as `2026-11-18T13:00:00.000Z`. */
const PARTS = /(`[^`]+`|\d{4}-\d\d-\d\dT[\d:.]+Z)/;

/** A text of the service for people: with code as code, and times in the zone of the shop. */
export function Advice({ text }: { readonly text: string }) {
  return text.split(PARTS).map((part, place) => {
    const key = `${place} ${part}`;
    if (place % 2 === 0) return part;
    if (!part.startsWith("`")) return <Time key={key} at={part} />;
    return (
      <code key={key} className="break-all text-xs">
        {part.slice(1, -1)}
      </code>
    );
  });
}
