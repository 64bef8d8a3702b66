import { useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useMay, useSite } from "../layout/sites.js";
import { Advice } from "../ui/advice.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Failure, Notice } from "../ui/notice.js";
import { Ago } from "../ui/time.js";

type Finding = Api["InstallCheck"]["items"][number];

const LOOKS = { good: "good", missing: "plain", unchecked: "plain", wrong: "bad" } as const;
const WORDS = {
  good: "Found",
  missing: "Not found yet",
  unchecked: "Not checked",
  wrong: "Problem",
} as const;
const ITEMS: Readonly<Record<string, string>> = {
  domain: "Domain",
  script: "Script",
  edge: "Worker or plugin",
  selling: "Selling",
};

interface Row {
  readonly items: readonly string[];
  readonly state: Finding["state"];
  readonly found: string;
  readonly advice: string | undefined;
}

/** Documents in the same state are one row, because one action changes them all. */
function rowsOf(findings: readonly Finding[]): readonly Row[] {
  const rows: Row[] = [];
  for (const { item, state, found, advice } of findings) {
    const last = rows.at(-1);
    const same = item.startsWith("/") && last?.found === found && last.advice === advice;
    const items = same ? [...last.items, item] : [item];
    if (same) rows.pop();
    rows.push({ items, state, found, advice });
  }
  return rows;
}

/** What is looked at, and for several documents on demand which. */
function Items({ items }: { readonly items: readonly string[] }) {
  const [first = ""] = items;
  if (items.length === 1) return <strong className="font-medium">{ITEMS[first] ?? first}</strong>;
  return (
    <details>
      <summary className="font-medium">{items.length} documents</summary>
      {items.map((item) => (
        <code key={item} className="block text-xs">
          {item}
        </code>
      ))}
    </details>
  );
}

/**
 * What the service finds on the site now, as agents would. Each item turns green when it is found. Others than owners
 * see what the last check found, because each check sends requests to the site.
 */
export function InstallCheck({
  everyMs,
  only,
}: {
  readonly everyMs?: number;
  /** The items that are shown; all of them unless named. */
  readonly only?: readonly string[];
}) {
  const { site, path } = useSite();
  const owner = useMay("owner");
  const looked = useQuery({
    queryKey: ["install", path, site.status, owner],
    queryFn: () =>
      owner
        ? call<Api["InstallCheck"]>("POST", `${path}/install-check`, {})
        : call<Api["InstallCheck"]>("GET", `${path}/install-check`),
    refetchInterval: everyMs ?? false,
  });
  // The service limits the number of checks. Keep the last result in the meantime.
  if (looked.isError && looked.data === undefined) return <Failure error={looked.error} />;
  if (looked.data === undefined) return <Notice>Checking your site…</Notice>;
  const { items: all, checked_at: checkedAt } = looked.data;
  const shown = all.filter(({ item }) => only?.includes(item) ?? true);
  return (
    <>
      <ul className="flex flex-col gap-2 text-sm" aria-live="polite">
        {rowsOf(shown).map(({ items, state, found, advice }, place, rows) => (
          <li key={items[0]} data-item={items[0]} className="flex flex-col gap-0.5">
            <span className="flex flex-wrap items-center gap-2">
              <Badge word={WORDS[state]} look={LOOKS[state]} />
              <Items items={items} />
              <span className="break-words text-soft">
                <Advice text={found} />
              </span>
            </span>
            {/* Show the same advice only once. */}
            {state !== "good" && advice !== undefined && rows[place + 1]?.advice !== advice && (
              <span className="break-words pl-2 text-soft">
                <Advice text={advice} />
              </span>
            )}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-3 text-sm text-soft">
        <span>
          {checkedAt === null ? (
            "No owner has checked the documents on the website yet."
          ) : (
            <>
              Checked <Ago at={Date.parse(checkedAt)} />
            </>
          )}
        </span>
        {owner && everyMs === undefined && (
          <Button disabled={looked.isFetching} onClick={() => void looked.refetch()}>
            Check again
          </Button>
        )}
        {looked.isError && <Failure error={looked.error} />}
      </div>
    </>
  );
}
