import type { Api } from "../api/client.js";
import { Notice } from "../ui/notice.js";
import { Facts } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { countText } from "../ui/words.js";

type Feed = Api["ProductFeed"];

const FORMATS: Readonly<Record<NonNullable<Feed["format"]>, string>> = {
  google_xml: "Google feed (XML)",
  google_table: "Google feed (table)",
  shopify: "Shopify",
  json_lines: "JSON lines",
};

const OUTCOMES: Readonly<Record<NonNullable<Feed["last_result"]>["outcome"], string>> = {
  applied: "Applied",
  unchanged: "No changes",
  not_applied: "Not applied",
  failed: "Failed",
};

/** What a fetch changed, such as `2 added, 1 paused`. */
function changesText(result: NonNullable<Feed["last_result"]>): string {
  const counts = (["added", "changed", "paused", "removed"] as const)
    .filter((name) => result[name] > 0)
    .map((name) => `${result[name]} ${name}`);
  const refused = result.refused > 0 ? [`${result.refused} refused`] : [];
  return [...counts, ...refused].join(", ");
}

/** The feed in facts, and what is wrong with it. */
export function FeedResult({ feed }: { readonly feed: Feed }) {
  const { last_result: result } = feed;
  const every = feed.every_hours === 1 ? "Every hour" : `Every ${feed.every_hours} hours`;
  return (
    <>
      <Facts
        rows={[
          ["Address", feed.url],
          ["Format", feed.format && FORMATS[feed.format]],
          ["Schedule", every],
          ["Next fetch", <Time key="next" at={feed.next_fetch_at} />],
          ["Last fetch", result && <Time key="last" at={result.fetched_at} />],
          ["Result", result === null ? "Not fetched yet" : OUTCOMES[result.outcome]],
          ["Products", result && countText(result.listed, "product")],
          ["Changes", result && changesText(result)],
        ]}
      />
      {result?.message && <Notice bad>{result.message}</Notice>}
      {result !== null && result.problems.length > 0 && (
        <ul aria-label="Refused items" className="max-h-60 overflow-auto text-sm">
          {result.problems.map(({ line, problem }) => (
            <li key={`${line} ${problem}`}>
              Line {line}: {problem}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
