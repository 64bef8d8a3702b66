import { Link, useSearch } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { useList } from "../api/list.js";
import { CallerTabs } from "../layout/pages.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { DayRange, useSpan } from "../ui/day-range.js";
import { ExportButton } from "../ui/export-button.js";
import { Select } from "../ui/field.js";
import { isNarrowed, useSetFilter } from "../ui/filter.js";
import { type Column, ListView } from "../ui/list-view.js";
import { NothingFound } from "../ui/nothing-found.js";
import { Empty, Page } from "../ui/page.js";
import { SearchField } from "../ui/search-field.js";
import { skillTitle } from "../ui/skill-title.js";
import { ShortTime } from "../ui/time.js";
import { moneyText, titleOf } from "../ui/words.js";
import { type Decision, OUTCOMES } from "./decisions.js";
import { RuleTitle } from "./rule-title.js";

function columnsFor(site: string): readonly Column<Decision>[] {
  return [
    {
      head: "Decision",
      cell: ({ decision_id, skill, amount }) => (
        <Link to="/$site/decisions/$id" params={{ site, id: decision_id }} className="link">
          {skillTitle(skill)} {moneyText(amount)}
        </Link>
      ),
    },
    { head: "Outcome", narrow: "side", cell: ({ outcome }) => <Badge word={outcome} /> },
    {
      head: "Reason",
      narrow: "hidden",
      cell: ({ reason, rule_id, policy_version }) => (
        <>
          {reason === null ? rule_id === null && "No rule matched" : titleOf(reason)}
          {reason !== null && rule_id !== null && ": "}
          {rule_id !== null && <RuleTitle version={policy_version} id={rule_id} />}
        </>
      ),
    },
    { head: "Requested by", narrow: "state", cell: ({ agent_id }) => <Asker id={agent_id} /> },
    { head: "When", narrow: "time", cell: ({ evaluated_at }) => <ShortTime at={evaluated_at} /> },
  ];
}

/** Every decision with the reason for it. */
export function DecisionsPage() {
  const { name, path } = useSite();
  const search = useSearch({ from: "/shell/$site/decisions" });
  const set = useSetFilter();
  const filter = { ...search, ...useSpan(search) };
  const list = useList<Decision>("decisions", `${path}/decisions`, filter);
  return (
    <Page
      title="Decisions"
      tabs={<CallerTabs />}
      purpose="Every request of an agent or platform, with the decision and the reason for it."
      actions={<ExportButton path={`${path}/decisions`} filter={filter} name="decisions" />}
    >
      <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Select
          label="Outcome"
          value={search.outcome ?? ""}
          choices={{ "": "All", ...OUTCOMES }}
          onChoose={(value) => set("outcome", value)}
        />
        <DayRange from={search.from} to={search.to} onSet={set} />
        <SearchField
          key={search.agent_id ?? ""}
          label="Agent"
          value={search.agent_id}
          placeholder="agt_…"
          onSearch={(words) => set("agent_id", words)}
        />
      </div>
      {search.mandate_id !== undefined && (
        <p className="text-sm">
          Decisions about the request <code className="break-all text-xs">{search.mandate_id}</code>
          .{" "}
          <button type="button" className="link" onClick={() => set("mandate_id", undefined)}>
            Show all
          </button>
        </p>
      )}
      <ListView
        list={list}
        columns={columnsFor(name)}
        label="Decisions"
        keyOf={({ decision_id }) => decision_id}
        empty={
          isNarrowed(search) ? (
            <NothingFound title="No decisions found" />
          ) : (
            <Empty
              title="No decisions yet"
              example="Place an order · €42.00 · approved: the total is at most €50.00"
              action={
                <Link
                  to="/$site"
                  params={{ site: name }}
                  search={{ step: "purchase" }}
                  className="button-act"
                >
                  Make a test purchase
                </Link>
              }
            >
              <p>Every request and every checkout appears here, with the rules that matched.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
