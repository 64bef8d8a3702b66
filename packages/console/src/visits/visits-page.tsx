import { Link, useSearch } from "@tanstack/react-router";
import type { Api } from "../api/client.js";
import { useList } from "../api/list.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { DayRange, useSpan } from "../ui/day-range.js";
import { ExportButton } from "../ui/export-button.js";
import { Select } from "../ui/field.js";
import { isNarrowed, useSetFilter } from "../ui/filter.js";
import { Snippet } from "../ui/id.js";
import { type Column, ListView } from "../ui/list-view.js";
import { NothingFound } from "../ui/nothing-found.js";
import { Empty, Page } from "../ui/page.js";
import { SearchField } from "../ui/search-field.js";
import { ShortTime } from "../ui/time.js";
import { plainWord } from "../ui/words.js";
import { KINDS } from "./kinds.js";
import { pageText } from "./page-text.js";
import { scriptTag } from "./script-tag.js";

type Visit = Api["Visit"];

function Signature({ visit }: { readonly visit: Visit }) {
  const { signature } = visit;
  if (signature === undefined) return <>–</>;
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <Badge word={signature.outcome} />
      {signature.reason !== null && (
        <span className="text-soft">{plainWord(signature.reason)}</span>
      )}
    </span>
  );
}

const COLUMNS: readonly Column<Visit>[] = [
  {
    head: "Visitor",
    sortBy: ({ classification }) => classification,
    cell: ({ classification }) => <Badge word={classification} />,
  },
  {
    head: "Agent",
    narrow: "state",
    sortBy: ({ agent }) => agent?.name ?? "",
    cell: ({ agent }) => (agent === undefined ? "–" : `${agent.name} (${agent.operator})`),
  },
  { head: "Signature", cell: (visit) => <Signature visit={visit} /> },
  {
    head: "Page",
    sortBy: ({ page_url }) => page_url ?? "",
    cell: ({ page_url, off_site }) => (
      <span className="break-all">
        {page_url === undefined || off_site ? (page_url ?? "–") : pageText(page_url)}{" "}
        {off_site && <Badge word="Another site" look="warn" />}
      </span>
    ),
  },
  {
    head: "Reported by",
    cell: ({ source }) => (source === "beacon" ? "Script" : "Worker or plugin"),
  },
  {
    head: "When",
    narrow: "time",
    sortBy: ({ observed_at }) => observed_at,
    cell: ({ observed_at }) => <ShortTime at={observed_at} />,
  },
];

/** The visits of a site. */
export function VisitsPage() {
  const { site, name, path } = useSite();
  const search = useSearch({ from: "/shell/$site/visits" });
  const set = useSetFilter();
  const filter = { ...search, ...useSpan(search) };
  const list = useList<Visit>("visits", `${path}/visits`, filter);
  return (
    <Page
      title="Visits"
      purpose="Who visited your pages, and whether agents could prove who they are. Visits are kept for 90 days."
      actions={<ExportButton path={`${path}/visits`} filter={filter} name="visits" />}
    >
      <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-5">
        <Select
          label="Visitor"
          value={search.classification ?? ""}
          choices={{ "": "All", ...KINDS }}
          onChoose={(value) => set("classification", value)}
        />
        <Select
          label="Reported by"
          value={search.source ?? ""}
          choices={{ "": "All", beacon: "Script", edge: "Worker or plugin" }}
          onChoose={(value) => set("source", value)}
        />
        <DayRange from={search.from} to={search.to} onSet={set} />
        <SearchField
          key={search.agent ?? ""}
          label="Agent"
          value={search.agent}
          placeholder="GPTBot"
          onSearch={(words) => set("agent", words)}
        />
      </div>
      <ListView
        list={list}
        columns={COLUMNS}
        label="Visits"
        keyOf={({ visit_id }) => visit_id}
        empty={
          isNarrowed(search) ? (
            <NothingFound title="No visits found" />
          ) : (
            <Empty
              title="No visits yet"
              example="GPTBot (OpenAI) · /prices · verified agent"
              action={
                <Link
                  to="/$site"
                  params={{ site: name }}
                  search={{ step: "install" }}
                  className="button-act"
                >
                  Check the installation
                </Link>
              }
            >
              <p>Paste this script into your pages. The next visit appears here.</p>
              <Snippet label="script tag" text={scriptTag(site)} />
            </Empty>
          )
        }
      />
    </Page>
  );
}
