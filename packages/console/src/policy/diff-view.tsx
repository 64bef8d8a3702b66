import { lineDiff } from "./line-diff.js";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const LOOKS = { same: "text-soft", added: "bg-act/10 text-act", removed: "bg-bad/10 text-bad" };

/** The changes, line by line. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = lineDiff(before, after);
  if (lines.every(({ change }) => change === "same")) {
    return <p className="text-sm text-soft">No changes.</p>;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
    <pre tabIndex={0} className="max-h-80 overflow-auto rounded-lg border border-line p-2 text-xs">
      {lines.map(({ change, text }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their place.
        <span key={place} className={`block ${LOOKS[change]}`}>
          {SIGNS[change]} {text}
        </span>
      ))}
    </pre>
  );
}
