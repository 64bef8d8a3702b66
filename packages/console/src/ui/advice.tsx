import { Time } from "./time.js";

/** Code between backticks, a time such as `2026-11-18T13:00:00.000Z`, or an address. */
const PARTS = /(`[^`]+`|\d{4}-\d\d-\d\dT[\d:.]+Z|https?:\/\/[^\s,"]*[^\s,."])/;

/** A text of the service for people: with code as code, times in the zone of the shop, and its own addresses as links. */
export function Advice({ text }: { readonly text: string }) {
  return text.split(PARTS).map((part, place) => {
    const key = `${place} ${part}`;
    if (place % 2 === 0) return part;
    if (part.startsWith("http")) {
      // Any other address may be a stranger's.
      if (!part.startsWith(`${location.origin}/`)) return part;
      return (
        <a key={key} href={part} className="link">
          {part}
        </a>
      );
    }
    if (!part.startsWith("`")) return <Time key={key} at={part} />;
    return (
      <code key={key} className="break-all text-xs">
        {part.slice(1, -1)}
      </code>
    );
  });
}
