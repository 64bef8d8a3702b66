import { Badge } from "../ui/badge.js";
import { Fold } from "../ui/fold.js";
import { documentIn, policyChanges, type RuleChange } from "./changes.js";
import { lineDiff } from "./line-diff.js";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const LOOKS = { same: "text-soft", added: "bg-act/10 text-act", removed: "bg-bad/10 text-bad" };
const KINDS: Readonly<Record<RuleChange["kind"], "good" | "warn" | "bad">> = {
  new: "good",
  changed: "warn",
  removed: "bad",
};

/** The JSON, line by line. */
function Lines({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
    <pre tabIndex={0} className="max-h-80 overflow-auto rounded-lg border border-line p-2 text-xs">
      {lineDiff(before, after).map(({ change, text }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their place.
        <span key={place} className={`block ${LOOKS[change]}`}>
          {SIGNS[change]} {text}
        </span>
      ))}
    </pre>
  );
}

/** The difference between two versions of the rules: in sentences, and as JSON for who wants it. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <p className="text-sm text-soft">No changes.</p>;
  const changes = policyChanges(documentIn(before), documentIn(after));
  return (
    <div className="flex max-h-80 flex-col gap-2 overflow-auto text-sm">
      <ul aria-label="Changes" className="flex flex-col gap-1.5">
        {changes.map(({ kind, text }) => (
          <li key={`${kind} ${text}`} className="flex flex-wrap items-baseline gap-2">
            <Badge word={kind} look={KINDS[kind]} />
            <span className="min-w-0 flex-1 break-words">{text}</span>
          </li>
        ))}
      </ul>
      <Fold label="Advanced">
        <Lines before={before} after={after} />
      </Fold>
    </div>
  );
}
