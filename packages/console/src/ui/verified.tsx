import type { Check } from "@gatehouse/protocol";

/** The result of several checks in one sentence. */
export function Verified({
  checks,
  yes,
  no,
}: {
  readonly checks: readonly Check[];
  readonly yes: string;
  readonly no: string;
}) {
  const ok = checks.length > 0 && checks.every((check) => check.ok);
  const look = ok ? "border-act/40 bg-act/10 text-act" : "border-bad/40 bg-bad/10 text-bad";
  return (
    <p role="status" className={`rounded-lg border px-3 py-2 text-sm font-medium ${look}`}>
      {ok ? yes : no}
    </p>
  );
}
