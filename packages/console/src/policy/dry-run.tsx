import type { JsonObject } from "@gatehouse/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type Api, call, Refused } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { Failure } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { ShortTime } from "../ui/time.js";
import { moneyText } from "../ui/words.js";
import { changedText, DAYS, REQUESTS_MAX, testText } from "./dry-run-text.js";

type Tested = Api["PolicyTest"];

/** So many changed decisions are shown. The others are counted. */
const SHOWN_MAX = 50;
/** A draft is tried when nobody has typed for so long. */
const SETTLED_MS = 400;
const RETRY_MS = 1000;
const RETRIES_MAX = 5;

/** A value once it has stayed the same for a moment. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** What a draft decides otherwise than the rules in force. Nothing is changed. `isCurrent` is false while somebody types. */
export function useDryRun(draft: JsonObject | undefined) {
  const { path } = useSite();
  const text = draft === undefined ? undefined : JSON.stringify(draft);
  const settled = useSettled(text);
  const test = useQuery({
    queryKey: ["policy-test", path, settled],
    queryFn: () => {
      const policy: unknown = JSON.parse(settled as string);
      return call<Tested>("POST", `${path}/policy/test`, {
        policy,
        days: DAYS,
        last: REQUESTS_MAX,
        // Old decisions were made by other rules: only the change of the rules counts.
        compare_with: "rules_in_force",
      });
    },
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    // A site runs one test at a time.
    retry: (count, error) =>
      error instanceof Refused && error.code === "rate_limited" && count < RETRIES_MAX,
    retryDelay: RETRY_MS,
  });
  return { test, draft, isCurrent: settled === text && !test.isPlaceholderData && test.isSuccess };
}

function Changed({ changed, draft }: Pick<Tested, "changed"> & { readonly draft: JsonObject }) {
  const { name: site } = useSite();
  if (changed.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="text-soft">Show what would be different</summary>
      <ul className="mt-2 flex flex-col gap-2">
        {changed.slice(0, SHOWN_MAX).map((one) => (
          <li key={one.decision_id}>
            <Link to="/$site/decisions/$id" params={{ site, id: one.decision_id }} className="link">
              {moneyText(one.amount)} {skillTitle(one.skill)}
            </Link>
            , <ShortTime at={one.evaluated_at} />: {changedText(one, draft)}
          </li>
        ))}
        {changed.length > SHOWN_MAX && <li>And {changed.length - SHOWN_MAX} more.</li>}
      </ul>
    </details>
  );
}

/** What the draft decides otherwise about recent requests, in sentences. */
export function DryRun({ run }: { readonly run: ReturnType<typeof useDryRun> }) {
  const { test, draft, isCurrent } = run;
  return (
    <Card title={`Try it on the last ${DAYS} days`}>
      {test.isError && <Failure error={test.error} />}
      {test.data === undefined ? (
        <p className="text-sm text-soft">
          {test.isFetching
            ? "Trying…"
            : "Correct the errors first. Then you see here what the rules would decide."}
        </p>
      ) : (
        <div aria-busy={!isCurrent} className={isCurrent ? "" : "text-soft"}>
          <p role="status">{testText(test.data)}</p>
          {draft !== undefined && <Changed changed={test.data.changed} draft={draft} />}
        </div>
      )}
    </Card>
  );
}
