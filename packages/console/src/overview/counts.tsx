import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { type Api, call } from "../api/client.js";
import { queryText } from "../api/list.js";
import { OUTCOMES } from "../decisions/decisions.js";
import { useSite } from "../layout/sites.js";
import { useZone } from "../layout/zone.js";
import { Badge } from "../ui/badge.js";
import { LoadingChart } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { countText } from "../ui/words.js";
import { KINDS } from "../visits/kinds.js";
import { pageText } from "../visits/page-text.js";
import { Chart } from "./chart.js";
import type { Series } from "./chart-parts.js";
import { changeText, countWords } from "./compare.js";
import {
  minutesBefore,
  type Range,
  reachedBefore,
  type Span,
  spanOf,
  splitsHours,
  stepAt,
} from "./ranges.js";
import { Ranked, Row } from "./sales.js";

/** How often the counts are reloaded. */
const REFRESH_MS = 30_000;
const SHOWN_MAX = 10;

const VISIT_COLORS = {
  verified_agent: "act",
  declared_agent: "info",
  suspected_automation: "warn",
  person: "quiet",
} as const;
const OUTCOME_COLORS = {
  approved: "act",
  escalated: "warn",
  rejected: "bad",
  paying: "info",
} as const;

interface Answer {
  readonly items: readonly { readonly start: string }[];
}

/** The service begins with the hour that contains the start. What began earlier belongs to the time before. */
function since<Counts extends Answer>(counts: Counts, from = 0): Counts {
  return { ...counts, items: counts.items.filter(({ start }) => Date.parse(start) >= from) };
}

/** The counts of a time, and of the time before. */
function useCounts<Counts extends Answer>(what: "visits" | "decisions", range: Range) {
  const { site, path } = useSite();
  const zone = useZone();
  return useQuery({
    queryKey: [what, site.site_key_hash, "counts", range, zone],
    queryFn: async () => {
      const now = Date.now();
      const span = spanOf(range, zone, now);
      if (span === undefined) return null;
      // The service counts UTC days, so days of another zone are added up from shorter steps. The hours of visits begin
      // as they do in the zone of the shop.
      const by = what === "decisions" && splitsHours(span) ? "quarter_hour" : "hour";
      const get = (from = 0, to = 0) => {
        const iso = (ms: number) => (ms > now ? undefined : new Date(ms).toISOString());
        const query = queryText({ from: iso(from), to: iso(to), by });
        return call<Counts>("GET", `${path}/${what}/counts?${query}`);
      };
      const [start] = span.steps;
      const [startBefore] = span.stepsBefore;
      const [counts, earlier] = await Promise.all([get(start, span.end), get(startBefore, start)]);
      return {
        span,
        now,
        counts: since(counts, start),
        earlier: since(earlier, startBefore),
        shiftedMinutes: by === "hour" ? minutesBefore(span, counts.items) : 0,
      };
    },
    refetchInterval: REFRESH_MS,
  });
}

interface Counted<Kind extends string> {
  readonly start: string;
  readonly by: Readonly<Partial<Record<Kind, number>>>;
}

/** One series for each kind, with one value for each step. */
function seriesOf<Kind extends string>(
  { steps }: Span,
  items: readonly Counted<Kind>[],
  labels: Readonly<Record<Kind, string>>,
  colors: Readonly<Record<Kind, string>>,
): readonly Series[] {
  return (Object.keys(labels) as Kind[]).map((kind) => {
    const values = steps.map(() => 0);
    for (const { start, by } of items) {
      const place = stepAt(steps, Date.parse(start));
      if (place >= 0) values[place] = (values[place] ?? 0) + (by[kind] ?? 0);
    }
    return { label: labels[kind], color: colors[kind], values };
  });
}

/** How much there was, and how that compares with the time before. */
function Change({
  count,
  before,
  many,
  span,
}: {
  readonly count: number;
  readonly before: number;
  readonly many: string;
  readonly span: Span;
}) {
  return (
    <p className="text-sm text-soft">{changeText(count, before, span.before, countWords(many))}</p>
  );
}

/** Which visits are not where they belong, because they were counted before the shop had its time zone. */
function Shifted({ minutes, by }: { readonly minutes: number; readonly by: Span["by"] }) {
  return minutes === 0 ? null : (
    <p className="text-xs text-soft">
      Before you set this time zone, visits in the first {minutes} minutes of a {by} were counted in
      the {by} before.
    </p>
  );
}

/** Shown if there are too many rows to count. */
function Cut({ cut }: { readonly cut: boolean }) {
  return cut ? <Notice>These numbers are incomplete. Choose a shorter time range.</Notice> : null;
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

interface VisitCounts {
  readonly items: readonly Api["VisitCount"][];
  readonly pages: readonly Api["PageVisits"][];
  readonly cut: boolean;
}

/** The agents with the most visits. */
function busiest(items: VisitCounts["items"]) {
  const agents = new Map<string, number>();
  for (const { by_agent } of items) {
    for (const [agent, visits] of Object.entries(by_agent)) {
      agents.set(agent, (agents.get(agent) ?? 0) + visits);
    }
  }
  return [...agents].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN_MAX);
}

export function Visits({ range }: { readonly range: Range }) {
  const { name } = useSite();
  const query = useCounts<VisitCounts>("visits", range);
  if (query.isError) return <Failure error={query.error} />;
  if (!query.isSuccess) return <LoadingChart />;
  if (query.data === null) return null;
  const { span, now, counts, earlier, shiftedMinutes } = query.data;
  const { items, pages, cut } = counts;
  const rows = items.map(({ start, by_classification }) => ({ start, by: by_classification }));
  const countOf = (some: VisitCounts["items"]) => total(some.map(({ visits }) => visits));
  return (
    <Card title="Visits">
      <Cut cut={cut} />
      <Change
        count={countOf(items)}
        before={countOf(reachedBefore(span, earlier.items, now))}
        span={span}
        many="visits"
      />
      <Shifted minutes={shiftedMinutes} by={span.by} />
      <Chart
        title="Visits over time"
        steps={span.steps}
        by={span.by}
        series={seriesOf(span, rows, KINDS, VISIT_COLORS)}
      />
      <div className="grid gap-6 sm:grid-cols-2">
        <Ranked title="By agent">
          {busiest(items).map(([agent, visits]) => (
            <Row
              key={agent}
              value={visits.toLocaleString()}
              name={
                <Link
                  to="/$site/visits"
                  params={{ site: name }}
                  search={{ agent }}
                  className="link"
                >
                  {agent}
                </Link>
              }
            />
          ))}
        </Ranked>
        <Ranked title="Top pages for agents">
          {pages.map(({ page_url, visits }) => (
            <Row
              key={page_url}
              value={visits.toLocaleString()}
              name={<bdi className="break-all">{pageText(page_url)}</bdi>}
            />
          ))}
        </Ranked>
      </div>
    </Card>
  );
}

interface DecisionCounts {
  readonly items: readonly Api["DecisionCount"][];
  readonly agents: readonly Api["AgentDecisions"][];
  readonly cut: boolean;
}

function OutcomesOf({ agent }: { readonly agent: Api["AgentDecisions"] }) {
  const { name } = useSite();
  const { agent_id, decisions, by_outcome } = agent;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[])
        .filter((outcome) => (by_outcome[outcome] ?? 0) > 0)
        .map((outcome) => (
          <span key={outcome} className="inline-flex items-center gap-1">
            <Badge word={outcome} /> {by_outcome[outcome]}
          </span>
        ))}
      <Link
        to="/$site/decisions"
        params={{ site: name }}
        search={{ agent_id }}
        className="link font-semibold"
      >
        {countText(decisions, "decision")}
      </Link>
    </span>
  );
}

export function Decisions({ range }: { readonly range: Range }) {
  const query = useCounts<DecisionCounts>("decisions", range);
  if (query.isError) return <Failure error={query.error} />;
  if (!query.isSuccess) return <LoadingChart />;
  if (query.data === null) return null;
  const { span, now, counts, earlier } = query.data;
  const { items, agents, cut } = counts;
  const rows = items.map(({ start, by_outcome }) => ({ start, by: by_outcome }));
  const countOf = (some: DecisionCounts["items"]) => total(some.map(({ decisions }) => decisions));
  return (
    <Card title="Decisions">
      <Cut cut={cut} />
      <Change
        count={countOf(items)}
        before={countOf(reachedBefore(span, earlier.items, now))}
        span={span}
        many="decisions"
      />
      <Chart
        title="Decisions over time"
        steps={span.steps}
        by={span.by}
        series={seriesOf(span, rows, OUTCOMES, OUTCOME_COLORS)}
      />
      {agents.length > 0 && (
        <>
          <h3 className="text-sm font-medium">By agent</h3>
          <ul className="flex flex-col gap-1 text-sm">
            {agents.slice(0, SHOWN_MAX).map((agent) => (
              <li
                key={agent.agent_id}
                className="flex flex-wrap items-center justify-between gap-x-4"
              >
                <Asker id={agent.agent_id} />
                <OutcomesOf agent={agent} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
