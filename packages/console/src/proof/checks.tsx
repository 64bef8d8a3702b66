import type { Check } from "@gatehouse/protocol";

/** A check to show. One that was not made has neither passed nor failed. */
export interface ShownCheck extends Check {
  readonly unchecked?: boolean;
}

function lookOf({ ok, unchecked }: ShownCheck) {
  if (unchecked === true) return { mark: "–", word: "not checked: ", color: "text-soft" };
  return ok
    ? { mark: "✓", word: "passed: ", color: "text-act" }
    : { mark: "✗", word: "failed: ", color: "text-bad" };
}

/** What the browser checked, one by one. */
export function Checks({ checks }: { readonly checks: readonly ShownCheck[] }) {
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {checks.map((check) => {
        const { mark, word, color } = lookOf(check);
        return (
          <li
            key={check.id}
            data-check={check.id}
            className={`flex gap-2 ${mark === "✓" ? "" : color}`}
          >
            <span aria-hidden="true" className={color}>
              {mark}
            </span>
            <span className="min-w-0 break-words">
              <span className="sr-only">{word}</span>
              {check.text}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** All of them in one line, green or red. */
export function ChecksSummary({
  checks,
  of,
}: {
  readonly checks: readonly ShownCheck[];
  readonly of: string;
}) {
  const performed = checks.filter(({ unchecked }) => unchecked !== true);
  const ok = performed.length > 0 && performed.every((check) => check.ok);
  const look = ok ? "border-act/40 bg-act/10 text-act" : "border-bad/40 bg-bad/10 text-bad";
  return (
    <p role="status" className={`rounded-lg border px-3 py-2 text-sm font-medium ${look}`}>
      {ok ? `${of} is verified. Your browser checked it.` : `${of} could not be verified.`}
    </p>
  );
}
