import type { Check } from "@gatehouse/protocol";

/** What was checked here, in this page, one by one. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {checks.map(({ id, ok, text }) => (
        <li key={id} data-check={id} className={`flex gap-2 ${ok ? "" : "text-bad"}`}>
          <span aria-hidden="true" className={ok ? "text-act" : "text-bad"}>
            {ok ? "✓" : "✗"}
          </span>
          <span className="min-w-0 break-words">
            <span className="sr-only">{ok ? "holds: " : "fails: "}</span>
            {text}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** All of them in one line, green or red. */
export function Verdict({
  checks,
  of,
}: {
  readonly checks: readonly Check[];
  readonly of: string;
}) {
  const ok = checks.length > 0 && checks.every((check) => check.ok);
  const look = ok ? "border-act/40 bg-act/10 text-act" : "border-bad/40 bg-bad/10 text-bad";
  return (
    <p role="status" className={`rounded-lg border px-3 py-2 text-sm font-medium ${look}`}>
      {ok ? `${of} holds: checked in this page.` : `${of} does not hold.`}
    </p>
  );
}
