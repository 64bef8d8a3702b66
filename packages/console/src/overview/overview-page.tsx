import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { type Api, call, type Page as ListPage } from "../api/client.js";
import { queryText } from "../api/list.js";
import { OUTCOMES } from "../decisions/decisions.js";
import { PauseButton } from "../layout/pause.js";
import { useMay, useSite } from "../layout/sites.js";
import { useSetupState } from "../setup/done-steps.js";
import { STEPS } from "../setup/steps.js";
import { Badge } from "../ui/badge.js";
import { Select } from "../ui/field.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Page } from "../ui/page.js";
import { countText } from "../ui/words.js";
import { KINDS } from "../visits/kinds.js";
import { Chart } from "./chart.js";
import type { Series } from "./chart-parts.js";
import { Declines } from "./declines.js";
import { NeedsYou } from "./needs-you.js";
import { Onboarding } from "./onboarding.js";
import { RANGES, type RangeName, stepAt, stepsOf } from "./ranges.js";
import { Sales } from "./sales.js";

/** How often the counts are reloaded. */
const REFRESH_MS = 30_000;
const AGENTS_SHOWN_MAX = 10;

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

function useCounts<Answer>(what: "visits" | "decisions", range: RangeName) {
  const { site, path } = useSite();
  return useQuery({
    queryKey: [what, site.site_key_hash, "counts", range],
    queryFn: async () => {
      const steps = stepsOf(range, Date.now());
      const from = new Date(steps[0] ?? 0).toISOString();
      // The service counts UTC days, so days of another zone are added up from hours.
      const query = queryText({ from, by: "hour" });
      const answer = await call<Answer>("GET", `${path}/${what}/counts?${query}`);
      return { steps, ...answer };
    },
    refetchInterval: REFRESH_MS,
  });
}

/** One series for each kind, with one value for each step. */
function seriesOf<Kind extends string>(
  steps: readonly number[],
  items: readonly {
    readonly start: string;
    readonly by: Readonly<Partial<Record<Kind, number>>>;
  }[],
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

function Visits({ range }: { readonly range: RangeName }) {
  const { name } = useSite();
  const counts = useCounts<{ items: Api["VisitCount"][]; cut: boolean }>("visits", range);
  if (counts.isError) return <Failure error={counts.error} />;
  if (!counts.isSuccess) return <Loading />;
  const { steps, items, cut } = counts.data;
  const rows = items.map(({ start, by_classification }) => ({ start, by: by_classification }));
  const agents = new Map<string, number>();
  for (const { by_agent } of items) {
    for (const [agent, visits] of Object.entries(by_agent)) {
      agents.set(agent, (agents.get(agent) ?? 0) + visits);
    }
  }
  const top = [...agents].toSorted(([, a], [, b]) => b - a).slice(0, AGENTS_SHOWN_MAX);
  return (
    <Card title="Visits">
      <Cut cut={cut} />
      <Chart
        title="Visits over time"
        steps={steps}
        by={RANGES[range].by}
        series={seriesOf(steps, rows, KINDS, VISIT_COLORS)}
      />
      {top.length > 0 && (
        <>
          <h3 className="text-sm font-medium">By agent</h3>
          <ul className="flex flex-col gap-1 text-sm">
            {top.map(([agent, visits]) => (
              <li key={agent} className="flex justify-between gap-4">
                <Link
                  to="/$site/visits"
                  params={{ site: name }}
                  search={{ agent }}
                  className="link"
                >
                  {agent}
                </Link>
                {visits.toLocaleString()}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

type DecisionCounts = {
  readonly items: Api["DecisionCount"][];
  readonly agents: Api["AgentDecisions"][];
  readonly cut: boolean;
};

/** Shown if there are too many rows to count. */
function Cut({ cut }: { readonly cut: boolean }) {
  return cut ? <Notice>These numbers are incomplete. Choose a shorter time range.</Notice> : null;
}

function Decisions({ range }: { readonly range: RangeName }) {
  const { name } = useSite();
  const counts = useCounts<DecisionCounts>("decisions", range);
  if (counts.isError) return <Failure error={counts.error} />;
  if (!counts.isSuccess) return <Loading />;
  const { steps, items, agents, cut } = counts.data;
  const rows = items.map(({ start, by_outcome }) => ({ start, by: by_outcome }));
  return (
    <Card title="Decisions">
      <Cut cut={cut} />
      <Chart
        title="Decisions over time"
        steps={steps}
        by={RANGES[range].by}
        series={seriesOf(steps, rows, OUTCOMES, OUTCOME_COLORS)}
      />
      {agents.length > 0 && (
        <>
          <h3 className="text-sm font-medium">By agent</h3>
          <ul className="flex flex-col gap-1 text-sm">
            {agents.slice(0, AGENTS_SHOWN_MAX).map(({ agent_id, decisions, by_outcome }) => (
              <li key={agent_id} className="flex flex-wrap items-center justify-between gap-x-4">
                <Asker id={agent_id} />
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
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

const FIRST = {
  orders: "/orders?limit=1",
  visits: "/visits?limit=1",
  decisions: "/decisions?limit=1",
} as const;

/** Whether there is anything of a kind yet: before the first, a chart would be empty. */
function useHasAny(topic: keyof typeof FIRST): boolean {
  const { site, path } = useSite();
  const first = useQuery({
    queryKey: [topic, site.site_key_hash, "first one"],
    queryFn: () => call<ListPage<unknown>>("GET", path + FIRST[topic]),
  });
  return (first.data?.items.length ?? 0) > 0;
}

/** The numbers of the site, of what there is. */
function Numbers({ range }: { readonly range: RangeName }) {
  const navigate = useNavigate({ from: "/$site" });
  const [orders, visits, decisions] = [
    useHasAny("orders"),
    useHasAny("visits"),
    useHasAny("decisions"),
  ];
  if (!orders && !visits && !decisions) return null;
  return (
    <>
      <div className="max-w-48">
        <Select
          label="Time range"
          value={range}
          choices={Object.fromEntries(
            Object.entries(RANGES).map(([key, { label }]) => [key, label]),
          )}
          onChoose={(chosen) =>
            void navigate({ search: (now) => ({ ...now, range: chosen as RangeName }) })
          }
        />
      </div>
      {orders && <Sales range={range} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {visits && <Visits range={range} />}
        {decisions && <Decisions range={range} />}
      </div>
      <Declines />
    </>
  );
}

/** What happens at the site, and what needs attention. Until the site is set up, what is left to do. */
export function OverviewPage() {
  const { site } = useSite();
  const owner = useMay("owner");
  const { range = "7d", step } = useSearch({ from: "/shell/$site/" });
  const setup = useSetupState(owner);
  // What is left to do decides what else is shown, so nothing is shown before it is known.
  const isKnown = !owner || setup !== undefined;
  const inSetup = setup !== undefined && STEPS.some((one) => !setup.done[one]);
  return (
    <Page title={site.name} about={site.domain} actions={<PauseButton />}>
      {!isKnown && <Loading />}
      {setup !== undefined && <Onboarding state={setup} />}
      {isKnown && step === undefined && (
        <>
          <NeedsYou inSetup={inSetup} />
          <Numbers range={range} />
        </>
      )}
    </Page>
  );
}
